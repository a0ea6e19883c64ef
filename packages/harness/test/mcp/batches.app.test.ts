import { describe, expect, it } from 'vitest';
import { openMcpYard, until } from './clients.ts';
import { answerOf, answersOf, openSession, send, toCall, toInitialize } from './raw.ts';

const echo = (id: number | string, text: string, afterMs = 0) => toCall(id, 'echo', { text, afterMs });
const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
const takeBack = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const invalid = (message: unknown) => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });

describe('a batch', () => {
  it.each(['2025-11-25', '2025-06-18', '2024-11-05'])(
    'is refused in revision %s, which has none, and nothing of it runs',
    async (protocolVersion) => {
      const house = await openMcpYard('toolApproval: { perTool: { mcp__toolyard__pay: auto } }');
      const headers = await openSession(house, { protocolVersion });
      const response = await send(house, [toCall(1, 'pay', { to: 'Ann' }), list(2)], { headers });
      expect([response.status, await answerOf(response)]).toEqual([
        400,
        invalid(`Protocol revision ${protocolVersion} has no batches. Send each message in its own request.`),
      ]);
      expect(house.witness.paid).toEqual([]);
      expect(await answerOf(await send(house, echo(1, 'alone'), { headers }))).toMatchObject({
        result: { structuredContent: { text: 'alone' } },
      });
    },
  );

  it('of revision 2025-03-26 is answered message by message', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    const batch = [echo(1, 'one', 100), echo('1', 'a string', 50), takeBack(99), list(2), echo(3, 'three')];
    const answers = await answersOf(await send(house, batch, { headers }));
    const said = new Map(answers.map(({ id, result }) => [id, Object(result).structuredContent?.text]));
    expect(said).toEqual(
      new Map<unknown, unknown>([
        [1, 'one'],
        ['1', 'a string'],
        [2, undefined],
        [3, 'three'],
      ]),
    );
    expect(answers).toHaveLength(4);
  });

  it('with one id twice is refused, and nothing of it runs', async () => {
    const house = await openMcpYard('toolApproval: { perTool: { mcp__toolyard__pay: auto } }');
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    for (const batch of [
      [toCall(7, 'pay', { to: 'Ann' }), toCall(7, 'pay', { to: 'Bob' })],
      [list(7), list(7)],
    ]) {
      const response = await send(house, batch, { headers });
      expect([response.status, await answerOf(response)]).toEqual([
        400,
        invalid('Two requests of this batch have the same id. None of them was run.'),
      ]);
    }
    expect(house.witness.paid).toEqual([]);
  });

  it('with the id of a request under way is refused, and that one keeps its answer', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    const first = await send(house, echo(7, 'first', 300), { headers });
    const second = await send(house, [echo(8, 'second'), echo(7, 'third')], { headers });
    expect([second.status, await answerOf(second)]).toEqual([
      400,
      invalid('A request with this id is already in progress.'),
    ]);
    expect(await answerOf(first)).toMatchObject({ id: 7, result: { structuredContent: { text: 'first' } } });
  });

  it('of which one request is taken back still brings the answers to the others, and then ends', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    const batch = [toCall(1, 'linger'), echo(2, 'two', 400), list(3), echo(4, 'four')];
    const response = await send(house, batch, { headers, signal: AbortSignal.timeout(5_000) });
    const answers = answersOf(response);
    await until(() => house.witness.lingered.includes('began'));
    await send(house, takeBack(1), { headers });
    expect((await answers).map(({ id }) => id).sort()).toEqual([2, 3, 4]);
    expect(house.witness.lingered).toEqual(['began', 'stopped']);
  });

  it('of which the last request is taken back ends', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    const batch = [toCall(1, 'linger'), toCall(2, 'linger'), echo(3, 'three')];
    const response = await send(house, batch, { headers, signal: AbortSignal.timeout(5_000) });
    const answers = answersOf(response);
    await until(() => house.witness.lingered.length === 2);
    for (const id of [1, 2]) await send(house, takeBack(id), { headers });
    expect((await answers).map(({ id }) => id)).toEqual([3]);
  });

  it('that takes back a request of its own answers the rest', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house, { protocolVersion: '2025-03-26' });
    const ping = { jsonrpc: '2.0', id: 3, method: 'ping' };
    const batch = [toCall(1, 'linger'), echo(2, 'two', 50), ping, takeBack(1)];
    const response = await send(house, batch, { headers, signal: AbortSignal.timeout(5_000) });
    expect((await answersOf(response)).map(({ id }) => id).sort()).toEqual([2, 3]);
  });

  it('cannot open a session', async () => {
    const house = await openMcpYard();
    const response = await send(house, [toInitialize('2025-03-26'), list(1)]);
    expect([response.status, (await answerOf(response)).error?.code]).toEqual([400, -32600]);
  });
});
