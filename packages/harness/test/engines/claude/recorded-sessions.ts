// The sessions that are recorded: what is said in each, and what a person or a program does meanwhile.
import { createSdkMcpServer, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import type { CliOptions, CliSession } from './cli-session.ts';

export interface RecordedSession {
  name: string;
  /** One after the other, each after the turn of the one before. */
  prompts: string[];
  cli?: CliOptions;
  /** Told before the recording begins, in another process; the recorded one resumes it. */
  before?: string;
  onMessage?(session: CliSession, message: Record<string, unknown>): void;
}

const say = (name: string): RecordedSession => ({
  name: name.replaceAll(' ', '-'),
  prompts: [`record: ${name}`],
});
const withTools = (name: string, more: Options = {}): RecordedSession => ({
  ...say(name),
  cli: { options: { ...toolOptions(), ...more } },
});
/** Once is enough to see that it is tried again. */
const failing = (name: string, env: CliOptions['env'] = {}): RecordedSession => ({
  ...say(name),
  cli: { env: { CLAUDE_CODE_MAX_RETRIES: '1', ...env } },
});

export const recordedSessions: RecordedSession[] = [
  say('text'),
  say('thinking'),
  withTools('tool input deltas'),
  withTools('mcp tool'),
  withTools('parallel tools'),
  withTools('tool error'),
  withTools('unknown tool'),
  withTools('invalid input'),
  withTools('malformed input'),
  withTools('denied', {
    canUseTool: async () => ({ behavior: 'deny', message: 'A person did not allow this.' }),
  }),
  withTools('subagent', { tools: ['Bash', 'Agent'] }),
  { ...withTools('endless tools', { maxTurns: 2 }), name: 'max-turns' },
  { ...say('text'), name: 'max-budget', cli: { options: { maxBudgetUsd: 0.000_1 } } },
  { name: 'compaction', prompts: ['record: text', '/compact', 'record: thinking'] },
  { ...say('thinking'), name: 'resume', before: 'record: text' },
  {
    ...say('slowly'),
    name: 'interrupted-text',
    prompts: ['record: slowly', 'record: text'],
    onMessage: interruptAt('"text_delta"'),
  },
  { ...withTools('slow input'), name: 'interrupted-input', onMessage: interruptAt('"partial_json":"{') },
  {
    ...withTools('slow tool', { canUseTool: async () => new Promise(() => {}) }),
    name: 'interrupted-waiting',
    onMessage: (session, { type }) => {
      if (type === 'assistant') setTimeout(() => void session.query.interrupt(), 200);
    },
  },
  failing('refusal', { CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1' }),
  { ...failing('refusal'), name: 'refusal-retried' },
  failing('max tokens'),
  failing('rate limited'),
  failing('too many requests'),
  failing('overloaded'),
  failing('server error'),
  failing('unauthorized'),
  { ...failing('text', { ANTHROPIC_API_KEY: undefined }), name: 'not-logged-in' },
  failing('forbidden'),
  failing('unknown model'),
  failing('no credit'),
  failing('too long'),
  failing('bad request'),
  failing('cut stream'),
  { ...withTools('cut call'), cli: { env: { CLAUDE_CODE_MAX_RETRIES: '1' }, options: toolOptions() } },
  failing('cut for ever'),
  failing('failing stream'),
  failing('malformed stream'),
  { ...failing('text', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }), name: 'unreachable' },
  {
    ...say('text'),
    name: 'session-gone',
    cli: { options: { resume: '00000000-0000-4000-8000-000000000000' } },
  },
];

/** A server of our own, one built-in tool, and every call asked about and allowed. */
function toolOptions(): Options {
  return {
    tools: ['Bash'],
    mcpServers: { yard: createYardServer() },
    hooks: { PreToolUse: [{ onFailure: 'block', hooks: [async () => askAboutIt] }] },
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
  };
}

const askAboutIt = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: 'Every call is asked about.',
  },
} as const;

/** `onWait` is told when the call has begun that only ends by being cancelled. */
export function createYardServer(onWait = () => {}) {
  const answer = (text: string, isError = false) => ({ content: [{ type: 'text' as const, text }], isError });
  return createSdkMcpServer({
    name: 'yard',
    version: '1.0.0',
    tools: [
      tool('ping', 'Answers.', {}, async () => answer('pong')),
      tool('echo', 'Says the same.', { text: z.string() }, async ({ text }) => answer(text)),
      tool('fail', 'Fails.', {}, async () => answer('the yard said no', true)),
      tool('wait', 'Waits until it is cancelled.', {}, () => {
        onWait();
        return new Promise(() => {});
      }),
    ],
  });
}

/** Interrupts once, at the first such piece. */
function interruptAt(piece: string): NonNullable<RecordedSession['onMessage']> {
  let isDone = false;
  return (session, message) => {
    if (isDone || !JSON.stringify(message).includes(piece)) return;
    isDone = true;
    void session.query.interrupt();
  };
}
