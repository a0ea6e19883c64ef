import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { toExitFailure } from '../../../../src/engines/claude/events/failures.ts';
import { createTranslation } from '../../../../src/engines/claude/events/translate.ts';

/** How a turn ends whose `result` has these fields, after an error of that kind. */
function outcomeOf(fields: object, kind?: string) {
  const translation = createTranslation();
  const inner = { model: '<synthetic>', content: [{ type: 'text', text: 'the CLI’s words' }] };
  if (kind) translation.take({ type: 'assistant', message: inner, error: kind });
  return translation.take({ type: 'result', is_error: true, ...fields }).ended?.outcome;
}

const codeOf = (fields: object, kind?: string) => {
  const outcome = outcomeOf(fields, kind);
  return outcome && 'error' in outcome ? [outcome.outcome, outcome.error.code] : [outcome?.outcome];
};

describe('a turn ends by the CLI’s reason', () => {
  it.each([
    ['completed', false, ['completed']],
    ['background_requested', false, ['completed']],
    ['aborted_streaming', true, ['interrupted']],
    ['aborted_tools', true, ['interrupted']],
    ['max_turns', true, ['limit', 'step_limit']],
    ['budget_exhausted', true, ['limit', 'budget_limit']],
    ['prompt_too_long', true, ['failed', 'provider_rejected']],
    ['blocking_limit', true, ['failed', 'provider_rejected']],
    ['rapid_refill_breaker', true, ['failed', 'provider_rejected']],
    ['image_error', true, ['failed', 'provider_rejected']],
    ['model_error', true, ['failed', 'provider_failed']],
    ['api_error', true, ['failed', 'provider_failed']],
    ['malformed_tool_use_exhausted', true, ['failed', 'malformed_response']],
    ['something_new', true, ['failed', 'provider_failed']],
  ])('%s', (terminal_reason, is_error, expected) => {
    expect(codeOf({ subtype: 'success', is_error, terminal_reason })).toEqual(expected);
  });

  it.each([
    'stop_hook_prevented',
    'hook_stopped',
    'tool_deferred',
    'tool_deferred_unavailable',
    'structured_output_retry_exhausted',
    'turn_setup_failed',
    'something_new',
  ])('%s, when the CLI could not go on', (terminal_reason) => {
    const end = { subtype: 'error_during_execution', terminal_reason, errors: ['it said why'] };
    expect(outcomeOf(end)).toEqual({
      outcome: 'failed',
      error: {
        code: 'process_failed',
        message: 'Claude could not finish the turn (it said why). Retry the turn.',
      },
    });
  });
});

describe('an error of the provider has one code in every engine', () => {
  it.each([
    ['authentication_failed', undefined, 'provider_auth'],
    ['authentication_failed', 401, 'provider_auth'],
    ['oauth_org_not_allowed', 403, 'provider_auth'],
    ['account_on_hold', 403, 'provider_auth'],
    ['verification_required', 403, 'provider_auth'],
    ['cloud_credential_error', undefined, 'provider_auth'],
    ['billing_error', 400, 'provider_auth'],
    ['rate_limit', 429, 'provider_overloaded'],
    ['rate_limit', undefined, 'provider_overloaded'],
    ['overloaded', undefined, 'provider_overloaded'],
    ['server_error', 529, 'provider_overloaded'],
    ['server_error', 500, 'provider_failed'],
    ['invalid_request', 400, 'provider_rejected'],
    ['model_not_found', 404, 'unknown_model'],
    ['max_output_tokens', undefined, 'provider_rejected'],
    ['unknown', undefined, 'provider_failed'],
    ['brand_new_error', undefined, 'provider_failed'],
  ])('%s with status %s is %s', (kind, status, code) => {
    const end = { subtype: 'success', terminal_reason: 'api_error', api_error_status: status ?? null };
    expect(codeOf(end, kind)).toEqual(['failed', code]);
  });

  it('is never longer than a person reads, and never empty', () => {
    for (const result of ['x '.repeat(100_000), '', undefined]) {
      const outcome = outcomeOf({ subtype: 'success', result });
      const message = outcome && 'error' in outcome ? outcome.error.message : '';
      expect(message.length).toBeGreaterThan(20);
      expect(message.length).toBeLessThan(500);
    }
  });
});

describe('a process that is gone', () => {
  it('leaves its last words', () => {
    const error = Object.assign(new Error('Claude Code process exited with code 1'), { exitCode: 1 });
    expect(toExitFailure({ error, tail: `${'warning\n'.repeat(100)}panic: out of cheese\n` })).toEqual({
      code: 'process_failed',
      message:
        'Claude’s process ended before the turn did (Claude Code process exited with code 1; its last output: warning warning warning warning panic: out of cheese). Retry the turn to continue where it stopped.',
    });
  });

  it('without a word is said to be gone', () => {
    expect(toExitFailure({ tail: '' })).toEqual({
      code: 'process_failed',
      message: 'Claude’s process ended before the turn did. Retry the turn to continue where it stopped.',
    });
  });

  it('that never started says how to get it', () => {
    const error = Object.assign(new Error('native binary not found at /none'), {
      errorClass: 'executable_not_found',
    });
    expect(toExitFailure({ error, tail: '' })).toEqual({
      code: 'process_failed',
      message:
        'Claude could not be started (native binary not found at /none). Install it with `npm install @anthropic-ai/claude-agent-sdk`, or set claude.executable to its path.',
    });
  });

  it('that the machine could not start says why, and how to get it', () => {
    const why = '/none/claude could not be started: there is no /none/claude.';
    expect(
      toExitFailure({ error: new ToolyardError('process_failed', why), tail: '', silent: true }),
    ).toEqual({
      code: 'process_failed',
      message:
        'Claude could not be started (there is no /none/claude). Install it with `npm install @anthropic-ai/claude-agent-sdk`, or set claude.executable to its path.',
    });
  });

  it('before it said anything may be no Claude', () => {
    const error = new Error('Claude Code process exited with code 1');
    const tail = "error: unknown option '--input-format'\n";
    expect(toExitFailure({ error, tail, silent: true })).toEqual({
      code: 'process_failed',
      message:
        "Claude’s process ended before it answered anything (Claude Code process exited with code 1; its last output: error: unknown option '--input-format'). Retry the turn. If it happens again, make sure that claude.executable is Claude Code 2.1 or newer, or remove that setting and run `npm install @anthropic-ai/claude-agent-sdk`.",
    });
  });

  it('because it is too old to be gated says so', () => {
    const error = new Error('The process answering initialize does not honor onFailure on hook matchers.');
    expect(toExitFailure({ error, tail: '' })).toEqual({
      code: 'process_failed',
      message:
        'This Claude Code is too old: it would run tools without asking Toolyard. Update it with `npm install @anthropic-ai/claude-agent-sdk@latest`, or set claude.executable to a newer one.',
    });
  });

  it('because its transcript is gone says that nothing is lost here', () => {
    const tail = 'No conversation found with session ID: 00000000-0000-4000-8000-000000000000';
    expect(toExitFailure({ error: new Error('exited with code 1'), tail }).code).toBe('session_gone');
  });
});
