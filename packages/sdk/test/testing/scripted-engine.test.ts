import type { EngineSpec } from '@toolyard/sdk';
import {
  createRecordingHost,
  createScriptedEngine,
  type RecordingHostOptions,
  type ScriptedEngineOptions,
  type ScriptedTurn,
} from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';

const spec: EngineSpec = {
  sessionId: 'ses_1',
  model: 'a/b',
  instructions: '',
  cwd: '/',
  tools: [],
  nativeTools: [],
  maxSteps: 5,
};

async function play(options: ScriptedEngineOptions, hostOptions: RecordingHostOptions = {}) {
  const session = await createScriptedEngine(options).start(spec);
  const host = createRecordingHost(hostOptions);
  const outcome = await session.prompt({ kind: 'message', content: 'hi' }, host);
  return { outcome, host };
}

describe('the scripted engine', () => {
  it('says any other message back when it has no script', async () => {
    const { outcome, host } = await play({});
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(host.events).toEqual([
      { type: 'text_delta', data: { text: 'You said: hi' } },
      { type: 'usage', data: { inputTokens: 10, outputTokens: 1 } },
    ]);
  });

  it('tells its script what was said and what came of the calls', async () => {
    const turns: ScriptedTurn[] = [];
    const { host } = await play({
      reply(turn) {
        turns.push(turn);
        return turn.step === 0 ? [{ calls: [{ tool: 'mcp__suite__echo', input: { text: 'x' } }] }] : [];
      },
    });
    const [call] = host.calls;
    const outcome = { tool: 'mcp__suite__echo', text: '{"text":"x"}', output: { text: 'x' }, isError: false };
    expect(turns).toEqual([
      { text: 'hi', step: 0, outcomes: [], history: ['hi'] },
      { text: 'hi', step: 1, outcomes: [{ ...outcome, toolCallId: call?.id }], history: ['hi'] },
    ]);
  });

  it('asks before it uses a tool of its own, and takes no for an answer', async () => {
    const verdicts: string[] = [];
    const { host } = await play(
      {
        nativeTools: [{ name: 'scripted:Write', effect: 'write' }],
        reply({ step, outcomes }) {
          verdicts.push(...outcomes.map(({ text }) => text));
          return step === 0 ? [{ native: { tool: 'scripted:Write', input: { path: '/x' } } }] : [];
        },
      },
      { judge: ({ name }) => ({ decision: 'deny', reason: `${name} is not allowed.` }) },
    );
    expect([verdicts, host.calls, host.breaches]).toEqual([['scripted:Write is not allowed.'], [], []]);
  });

  it('fails as its script says', async () => {
    const error = { code: 'provider_failed' as const, message: 'It is broken.' };
    const { outcome, host } = await play({ reply: () => [{ text: 'So' }, { fail: error }] });
    expect(outcome).toEqual({ outcome: 'failed', error });
    expect(host.events).toEqual([{ type: 'text_delta', data: { text: 'So' } }]);
  });

  it('breaks its promise when its script tells it to', async () => {
    await expect(play({ reply: () => [{ throw: 'on purpose' }] })).rejects.toThrow('on purpose');
  });
});
