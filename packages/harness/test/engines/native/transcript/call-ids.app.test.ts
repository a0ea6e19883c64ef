// Providers give their calls ids of any shape, and some count them anew in each answer. Every call has one of its own.
import { expect, it } from 'vitest';
import type { StreamPart } from '../../../../src/engines/native/models/provider.ts';
import { createCallIds } from '../../../../src/engines/native/transcript/call-ids.ts';
import { call, callFrames, say, serveModel, wire } from '../model-server.ts';
import { engineOn, play } from '../native-turn.ts';

const tool = 'mcp__suite__echo';
const own = expect.stringMatching(/^call_[a-zA-Z0-9_-]{24}$/);

it.each(['toolu_1', 'functions.echo:0', 'x'.repeat(65), ''])(
  'a call whose id is "%s" is told, made and answered under one that every provider takes',
  async (id) => {
    await using server = await serveModel(call(id, tool, { text: 'one' }), say('Done.'));
    const { outcome, host } = await play(engineOn(server));
    expect(outcome).toEqual({ outcome: 'completed' });
    const [made] = host.calls;
    expect(made).toEqual({ id: id === 'toolu_1' ? id : own, name: tool, input: { text: 'one' } });
    const told = host.events.flatMap(({ data }) => ('toolCallId' in data ? [data.toolCallId] : []));
    expect(new Set(told)).toEqual(new Set([made?.id]));
    const sent = JSON.stringify(server.requests[1]);
    expect([sent.includes(`"id":"${made?.id}"`), sent.includes(`"tool_use_id":"${made?.id}"`)]).toEqual([
      true,
      true,
    ]);
  },
);

it('a call’s id that is used twice in one message stands for two calls', async () => {
  const [start, ...twice] = callFrames('toolu_1', tool, '{"text":"one"}');
  const again = twice.slice(0, 3).map((text) => text.replace('"index":0', '"index":1'));
  const frames = [start, ...twice.slice(0, 3), ...again, ...twice.slice(3)];
  await using server = await serveModel(wire(frames.join('')), say('Done.'));
  const { outcome, host } = await play(engineOn(server));
  expect(outcome).toEqual({ outcome: 'completed' });
  expect(host.calls.map(({ id }) => id)).toEqual(['toolu_1', own]);
});

it('a call’s id that is used again in a later step, turn or attempt stands for another call', async () => {
  const again = call('toolu_1', tool, { text: 'one' });
  await using server = await serveModel(again, again, say('Done.'), again, say('Done.'), again, again);
  const { session, host } = await play(engineOn(server));
  await session.prompt({ kind: 'message', content: 'and again' }, host);
  const fresh = await play(engineOn(server), 'hi', { spec: { maxSteps: 1 } });
  const settled = fresh.host.calls.map(({ id, input }) => ({
    toolCallId: id,
    tool,
    input,
    text: '{}',
    isError: false,
  }));
  await fresh.session.prompt({ kind: 'continue', settled }, fresh.host);
  const ids = [host.calls, fresh.host.calls].map((calls) => calls.map((each) => each.id));
  expect(ids).toEqual([
    ['toolu_1', own, own],
    ['toolu_1', own],
  ]);
  expect(ids.map((each) => new Set(each).size)).toEqual([3, 2]);
});

it('calls of one id that stream side by side are kept apart', () => {
  const toOwn = createCallIds(new Set());
  const started = { type: 'tool-input-start', id: '0', toolName: tool } as const;
  const ended = { type: 'tool-call', toolCallId: '0', toolName: tool, input: '{}' } as const;
  const parts: StreamPart[] = [started, started, ended, ended, ended];
  const ids = parts
    .map(toOwn)
    .map((part) => ('toolCallId' in part ? part.toolCallId : 'id' in part && part.id));
  const [first, second, , , third] = ids;
  expect(ids).toEqual([first, second, first, second, third]);
  expect(new Set(ids).size).toBe(3);
});
