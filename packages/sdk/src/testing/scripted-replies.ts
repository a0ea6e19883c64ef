// What a scripted model answers to the conformance prompts: the reference for every model the suite runs against.
// Any other message is said back.
import type { ScriptedTurn, Step } from './scripted-step.ts';

const echo = 'mcp__suite__echo';
const call = (tool: string, input: unknown): Step => ({ calls: [{ tool, input }] });
const text = (text: string): Step[] => [{ text }];

type Reply = (turn: ScriptedTurn) => Step[];

/** First the given call, then the given words. */
const callThenText =
  (tool: string, input: unknown, words: string): Reply =>
  ({ step }) =>
    step === 0 ? [call(tool, input)] : text(words);

const replies: Record<string, Reply> = {
  text: () => [{ text: 'Hello ' }, { text: 'from the model.' }],
  thinking: () => [{ thinking: 'Let me see.' }, { text: 'Thought.' }],
  'big text': () => Array.from({ length: 16 }, () => ({ text: 'x'.repeat(65_536) })),
  unicode: () => [{ text: 'héllo 🌍 — ' }, { text: '日本語 👩‍👩‍👧' }],
  'what did I say': ({ history }) => text(`You said: ${history[0]}`),

  'one tool': ({ step, outcomes }) => {
    if (step === 0) return [{ text: 'Calling.' }, call(echo, { text: 'one' })];
    return text(outcomes.some(isUnknown) ? 'Outcome unknown, noted.' : 'Done: one');
  },
  'parallel tools': ({ step }) =>
    step === 0
      ? [
          {
            calls: [
              { tool: echo, input: { text: 'a' } },
              { tool: echo, input: { text: 'b' } },
            ],
          },
        ]
      : text('Both: a and b.'),
  'two step tools': ({ step }) => {
    if (step === 0) return [call(echo, { text: 'first' })];
    return step === 1 ? [call(echo, { text: 'second' })] : text('Both done.');
  },
  'tool error': callThenText('mcp__suite__fail', {}, 'The tool failed.'),
  'unknown tool': callThenText('mcp__suite__missing', {}, 'No such tool.'),
  'invalid input': callThenText(echo, { text: 42 }, 'Bad input.'),
  'malformed tool input': callThenText(echo, '{"text": "one', 'Bad JSON.'),
  'endless tools': ({ step }) => [call(echo, { text: `round ${step}` })],

  'abort while streaming': () => [{ text: 'Slowly, ' }, { untilAborted: true }],
  'abort in a tool': callThenText('mcp__suite__wait', {}, 'It ended.'),

  'overload then success': () => text('Recovered.'),
  'rate limited': () => [{ pauseMs: 1_000 }, { text: 'Recovered.' }],
  'overload for ever': () => fail('provider_overloaded', 'The model is overloaded. Try again later.'),
  unauthorized: () => fail('provider_auth', 'The model refused the credentials. Check the key.'),
  refusal: () => fail('provider_rejected', 'The model declined to answer. Say it differently.'),
  'stream cut': () => [{ text: 'Some text' }, ...fail('stream_cut', 'The answer broke off. Try again.')],
  'malformed data': () => fail('malformed_response', 'The model’s answer could not be read. Try again.'),
};

export function conformanceReply(turn: ScriptedTurn): Step[] {
  const name = turn.text.startsWith('conformance: ') ? turn.text.slice('conformance: '.length) : undefined;
  const reply = name !== undefined && Object.hasOwn(replies, name) ? replies[name] : undefined;
  return reply ? reply(turn) : text(`You said: ${turn.text}`);
}

function fail(code: Extract<Step, { fail: unknown }>['fail']['code'], message: string): Step[] {
  return [{ fail: { code, message } }];
}

function isUnknown({ text }: { text: string }): boolean {
  return text.includes('outcome unknown');
}
