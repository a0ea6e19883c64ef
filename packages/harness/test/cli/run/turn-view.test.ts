// A turn as a person sees it while it happens: two streams on one screen.
import type { Event, EventDraft } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createJsonView, createTurnView } from '../../../src/cli/run/turn-view.ts';
import { createTerminal, toWidth } from '../../../src/cli/terminal/terminal.ts';

const turnId = 'trn_0000000000000000000001';
const sessionId = 'ses_0000000000000000000001';

function toEvents(drafts: EventDraft[]): Event[] {
  return drafts.map((draft, index) => ({
    ...draft,
    sessionId,
    seq: index + 1,
    at: new Date(index * 10).toISOString(),
  }));
}

/** Plays events on a screen of 60 columns; stdout is shown as it is, stderr between ‹ ›. */
function play(drafts: EventDraft[], { isTTY = true, json = false } = {}) {
  const screen: string[] = [];
  const stdout = { isTTY, columns: 60, write: (text: string) => screen.push(text) };
  const stderr = { isTTY, columns: 60, write: (text: string) => screen.push(`‹${text}›`) };
  const terminal = createTerminal({ stdout, stderr }, { NO_COLOR: '1' });
  const view = json ? createJsonView(terminal) : createTurnView(terminal);
  for (const event of toEvents(drafts)) view.show(event);
  return screen.join('');
}

describe('the view of a turn', () => {
  it('streams text, and shows each call with its result below it', () => {
    const screen = play([
      { type: 'turn_start', data: { turnId } },
      { type: 'text_delta', data: { text: 'Let me ' } },
      { type: 'text_delta', data: { text: 'see.' } },
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'mcp__toolyard__ping' } },
      { type: 'tool_call_delta', data: { toolCallId: 'a', delta: '{}' } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: {} } },
      { type: 'tool_result', data: { toolCallId: 'a', output: { status: 'pong' }, isError: false } },
      { type: 'usage', data: { inputTokens: 12, outputTokens: 3, costUsd: 0 } },
      { type: 'text_delta', data: { text: 'It is up.\n' } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
    ]);
    expect(screen).toBe(
      [
        'Let me see.\n‹\n›',
        '‹● mcp__toolyard__ping {}\n›',
        '‹  ✓ {"status":"pong"} 10 ms\n›‹\n›',
        'It is up.\n‹\n›',
        '‹completed · 12 tokens in, 3 out · free · 90 ms\n›',
      ].join(''),
    );
  });

  it('names the tool of a result that does not stand below its call', () => {
    const screen = play([
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'first' } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: { x: 1 } } },
      { type: 'tool_call_start', data: { toolCallId: 'b', tool: 'second' } },
      { type: 'tool_call_end', data: { toolCallId: 'b', input: {} } },
      { type: 'tool_result', data: { toolCallId: 'a', output: 'no', isError: true } },
      { type: 'tool_result', data: { toolCallId: 'b', output: 'lost', isError: true, outcome: 'unknown' } },
    ]);
    expect(screen).toBe(
      [
        '‹● first {"x":1}\n›',
        '‹● second {}\n›',
        '‹  ✗ first no 30 ms\n›',
        '‹  ? second outcome unknown: lost 20 ms\n›',
      ].join(''),
    );
  });

  it('leaves the time that a person took to answer out of the time of a call', () => {
    const approval = { id: 'apr_1', toolCallId: 'a', sessionId, turnId, state: 'pending' };
    const screen = play([
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'pay' } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: {} } },
      // As much of an approval as the view looks at.
      { type: 'approval_required', data: { approval } } as unknown as EventDraft,
      { type: 'session_status', data: { status: 'waiting' } },
      { type: 'approval_resolved', data: { approvalId: 'apr_1', state: 'allowed' } },
      { type: 'tool_result', data: { toolCallId: 'a', output: 'paid', isError: false } },
    ]);
    expect(screen).toBe('‹● pay {}\n›‹  ✓ paid 10 ms\n›');
  });

  it('adds up the tokens of a turn across a restart, and counts its time from the last start', () => {
    const screen = play([
      { type: 'turn_start', data: { turnId } },
      { type: 'usage', data: { inputTokens: 5, outputTokens: 1, costUsd: 0 } },
      { type: 'turn_start', data: { turnId } },
      { type: 'usage', data: { inputTokens: 7, outputTokens: 2, costUsd: 0 } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
    ]);
    expect(screen).toBe('‹completed · 12 tokens in, 3 out · free · 20 ms\n›');
  });

  it('shows the call and the result of an engine that never said that the call began', () => {
    const screen = play([
      { type: 'tool_call_end', data: { toolCallId: 'a', input: {} } },
      { type: 'tool_result', data: { toolCallId: 'b', output: 1, isError: false } },
    ]);
    expect(screen).toBe('‹● tool {}\n›‹  ✓ b 1\n›');
  });

  it('says how a turn ended whose message was taken back', () => {
    const screen = play([
      { type: 'user_message', data: { content: 'wait', turnId } },
      { type: 'turn_end', data: { turnId, outcome: 'interrupted', costUsd: 0, withdrawn: true } },
    ]);
    expect(screen).toBe('‹interrupted · 0 tokens in, 0 out · free\n›');
  });

  it('never fills more than the width of the terminal with a call or its result', () => {
    const screen = play([
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'echo' } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: { text: 'long '.repeat(500) } } },
      {
        type: 'tool_result',
        data: { toolCallId: 'a', output: `line\n${'漢字'.repeat(500)}`, isError: false },
      },
    ]);
    const lines = screen.replace(/[‹›]/g, '').trimEnd().split('\n');
    expect(lines.map(toWidth)).toEqual([60, 60]);
  });

  it('lets nothing of a model or a tool drive the terminal', () => {
    const evil = '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\r\u009b1A';
    const screen = play([
      { type: 'text_delta', data: { text: evil } },
      { type: 'thinking_delta', data: { text: evil } },
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: `x${evil}` } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: { [evil]: evil } } },
      { type: 'tool_result', data: { toolCallId: 'a', output: evil, isError: false } },
      { type: 'error', data: { code: 'tool_failed', message: evil } },
      { type: 'turn_end', data: { turnId, outcome: 'failed', costUsd: null } },
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
    expect(screen.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g)).toBeNull();
  });

  it('keeps text as it is when nobody looks', () => {
    expect(play([{ type: 'text_delta', data: { text: '\u001b[1mbold\r' } }], { isTTY: false })).toBe(
      '\u001b[1mbold\r',
    );
  });

  it('ends a line of thinking before the answer begins', () => {
    const screen = play([
      { type: 'thinking_delta', data: { text: 'Hm.' } },
      { type: 'text_delta', data: { text: 'Yes.' } },
      { type: 'error', data: { code: 'provider_failed', message: 'The provider broke.' } },
    ]);
    expect(screen).toBe('‹Hm.›‹\n›‹\n›Yes.\n‹\n›‹✗ The provider broke. (provider_failed)\n›');
  });

  it('prints one event per line and nothing else for programs', () => {
    const drafts: EventDraft[] = [
      { type: 'text_delta', data: { text: 'a\nb\u001b' } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
    ];
    const lines = play(drafts, { json: true }).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(toEvents(drafts));
  });
});
