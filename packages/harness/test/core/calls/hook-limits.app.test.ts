// Hooks that hang, return too much or return nonsense: the call has an end, and a size.
import { Config, pause, type ToolOutcome } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Hooks } from '../../../src/core/calls/hooks.ts';
import { boundHooks } from '../../../src/core/calls/hooks.ts';
import { createOutputs } from '../../../src/core/calls/output.ts';
import { openLedgerYard } from '../../support/ledger.ts';
import { quiet } from '../../support/yard.ts';

const hookDeadlineMs = 200;
const config = `
toolApproval: { defaultTier: auto }
tools: { hookDeadlineMs: ${hookDeadlineMs} }
output: { maxBytes: 1024 }
`;
const never = () => new Promise<undefined>(() => {});

async function pay(hooks: Hooks) {
  const { yard, ran } = await openLedgerYard(config, { hooks });
  const { id: sessionId } = await yard.client().sessions.create();
  const result = await yard.client().tools.call('mcp__suite__pay', { input: { to: 'bob' }, sessionId });
  return { yard, ran, sessionId, result };
}

const withheld = 'The call ran, but its result is withheld: a hook of this installation failed.';

describe('a hook', () => {
  it('that hangs before a call denies it', async () => {
    const { ran, result } = await pay({ beforeToolCall: never });
    const text = 'The call was not run: a hook of this installation failed.';
    expect([ran, result.text, result.isError]).toEqual([[], text, true]);
  });

  it('that hangs after a call withholds its result', async () => {
    const { ran, result } = await pay({ afterToolCall: never });
    expect([ran, result.text, result.isError]).toEqual([['bob'], withheld, true]);
  });

  it('that is slow and in time counts', async () => {
    const { ran } = await pay({
      beforeToolCall: async () => {
        await pause(5);
        return { input: { to: 'eve' } };
      },
    });
    expect(ran).toEqual(['eve']);
  });

  it('has what it returns cut like any output, and kept for read_output', async () => {
    const long = 'x'.repeat(5_000);
    const { yard, result, sessionId } = await pay({
      afterToolCall: ({ tool }, outcome) => (tool.endsWith('pay') ? { ...outcome, text: long } : undefined),
    });
    expect(result.text.length).toBeLessThan(1_300);
    expect(result).toMatchObject({ isError: false, output: null });
    const outputId = /out_\w+/.exec(result.text)?.[0] ?? '';
    expect(await yard.client().outputs.read(outputId, { sessionId })).toMatchObject({ totalBytes: 5_000 });
  });

  it('cannot put more beside the text than the text may hold', async () => {
    const { result } = await pay({
      afterToolCall: (_, outcome) => ({ ...outcome, text: 'short', output: { paid: 'x'.repeat(5_000) } }),
    });
    expect(result).toMatchObject({ text: 'short', output: null, isError: false });
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const nonsense: [string, unknown][] = [
    ['no outcome', { hello: 1 }],
    ['an output that is no JSON', { text: 'x', isError: false, output: circle }],
  ];
  it.each(nonsense)('that returns %s withholds the result', async (_, value) => {
    const { result } = await pay({ afterToolCall: () => value as ToolOutcome });
    expect([result.text, result.isError]).toEqual([withheld, true]);
  });
});

describe('a hook that is at work when its yard is closed', () => {
  it('is forgotten: nothing is said of it afterwards', async () => {
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    const asked = Promise.withResolvers<void>();
    const beforeToolCall = () => {
      asked.resolve();
      return never();
    };
    const { yard } = await openLedgerYard(config, { hooks: { beforeToolCall }, logger });
    const { id } = await yard.client().sessions.create();
    await yard.client().sessions.send(id, 'pay bob');
    await asked.promise;
    await yard.close();
    said.length = 0;
    // Begun after the hook's own deadline, and so over after it.
    await pause(hookDeadlineMs);
    expect(said).toEqual([]);
  });

  it.each(['beforeToolCall', 'afterToolCall'] as const)('holds no timer: %s', async (name) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const closed = new AbortController();
    const hooks = boundHooks(
      { [name]: never },
      {
        outputs: createOutputs({ folder: '/nowhere', logger: quiet }),
        configOf: async () => Config.parse({}),
        closed: closed.signal,
      },
    );
    const call = { sessionId: 's', turnId: 't', toolCallId: 'c', tool: 'x', input: {} };
    if (name === 'beforeToolCall') void hooks.beforeToolCall?.(call);
    else void hooks.afterToolCall?.(call, { toolCallId: 'c', tool: 'x', text: '', isError: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(1);
    closed.abort();
    expect(vi.getTimerCount()).toBe(0);
  });
});
