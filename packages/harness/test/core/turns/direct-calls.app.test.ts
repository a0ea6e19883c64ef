// Tool calls that a person makes in a session of their own choice, beside its conversation.
import { join } from 'node:path';
import { type Event, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { openTestStore } from '../../store/support.ts';
import { firstPending, openLedgerYard, pendingOf } from '../../support/ledger.ts';
import { converse, isEndOf, logOf, readUntil } from '../../support/yard.ts';

const pay = 'mcp__suite__pay';
const toBob = { to: 'bob' };

async function statusOf(yard: Yard, id: string) {
  return (await yard.client().sessions.get(id)).status;
}

/** Waits until the session has the status, or fails. */
async function becomes(yard: Yard, id: string, status: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await statusOf(yard, id)) === status) return;
    await pause(20);
  }
  expect(await statusOf(yard, id)).toBe(status);
}

describe('a call within a session', () => {
  it('is asked in that session; allowed for it, the second call there is not asked and another session’s is', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const call = client.tools.call(pay, { input: toBob, sessionId });
    const approval = await firstPending(yard);
    expect(approval).toMatchObject({ sessionId, rootSessionId: sessionId });
    expect(await statusOf(yard, sessionId)).toBe('waiting');
    await client.approvals.answer(approval.id, { decision: 'allow', scope: 'session' });
    expect(await call).toMatchObject({ sessionId, output: { paid: 'bob' }, isError: false });
    expect(await client.tools.call(pay, { input: toBob, sessionId })).toMatchObject({ isError: false });
    expect(ran).toEqual(['bob', 'bob']);
    expect((await client.grants.list()).items).toMatchObject([{ sessionId, uses: 1 }]);
    expect((await client.sessions.list()).items.map(({ id }) => id)).toEqual([sessionId]);
    const other = await client.sessions.create();
    const asked = client.tools.call(pay, { input: toBob, sessionId: other.id });
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'deny' });
    expect(await asked).toMatchObject({ isError: true });
    await becomes(yard, sessionId, 'idle');
  });

  it('uses what was allowed to the agent of the session, and the other way round', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const { turnId } = await client.sessions.send(sessionId, 'pay bob');
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
    await readUntil(yard, sessionId, isEndOf(turnId));
    await client.tools.call(pay, { input: toBob, sessionId });
    expect(ran).toEqual(['bob', 'bob']);
  });

  it('reads outputs that were cut there, and none of another session', async () => {
    const { yard } = await openLedgerYard('output: { maxBytes: 1024 }\ntoolApproval: { defaultTier: auto }');
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const long = { to: 'x'.repeat(3_000) };
    const { text } = await client.tools.call(pay, { input: long, sessionId });
    const output_id = /"output_id":"(out_\w+)"/.exec(text)?.[1] ?? '';
    const readOutput = (where: { sessionId?: string }) =>
      client.tools.call('mcp__toolyard__read_output', { input: { output_id }, ...where });
    expect(await readOutput({ sessionId })).toMatchObject({ isError: false });
    expect(await readOutput({})).toMatchObject({ isError: true });
  });

  it('takes the session as it is: role, mode and directory cannot be named beside it', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create({ mode: 'plan' });
    for (const named of [{ role: 'assistant' }, { mode: 'bypassPermissions' as const }, { cwd: '/' }]) {
      await expect(client.tools.call(pay, { input: toBob, sessionId, ...named })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
    expect(await client.tools.call(pay, { input: toBob, sessionId })).toMatchObject({
      isError: true,
      text: expect.stringContaining('mode plan refuses'),
    });
  });

  it('is a call of the audit that names who called and the session', async () => {
    const { yard } = await openLedgerYard('toolApproval: { defaultTier: auto }');
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    await client.tools.call(pay, { input: toBob, sessionId });
    const { items } = await client.audit.list();
    expect(items.map(({ kind, actor, ...row }) => [kind, row.sessionId, actor.kind])).toEqual([
      ['decision', sessionId, 'system'],
      ['result', sessionId, 'person'],
    ]);
  });
});

describe('a call beside a turn of the session', () => {
  const engine = () =>
    createScriptedEngine({
      reply: ({ text }) =>
        text === 'wait' ? [{ text: 'one ' }, { untilAborted: true }] : [{ text: `heard ${text}` }],
    });

  it('leaves the turn running, its stream whole, and the queue as it was', async () => {
    const called = Promise.withResolvers<void>();
    const slow = createScriptedEngine({
      reply: () => [{ text: 'one ' }, { until: called.promise }, { text: 'two' }],
    });
    const { yard } = await openLedgerYard('toolApproval: { defaultTier: auto }', { engine: slow });
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const events: Event[] = [];
    for await (const event of client.sessions.stream(sessionId, 'go')) {
      events.push(event);
      if (event.type === 'text_delta' && event.data.text === 'one ') {
        expect(await client.tools.call(pay, { input: toBob, sessionId })).toMatchObject({ isError: false });
        // The end of the call is written by then, and must not be taken for the turn's.
        await readUntil(yard, sessionId, ({ type }) => type === 'turn_end');
        expect(await statusOf(yard, sessionId)).toBe('running');
        called.resolve();
      }
    }
    expect(events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : []))).toEqual([
      'one ',
      'two',
    ]);
    expect(events.map(({ type }) => type)).not.toContain('tool_call_start');
    expect(events.at(-1)?.type).toBe('turn_end');
    await becomes(yard, sessionId, 'idle');
  });

  it('that waits for a person keeps the session waiting when the turn ends, and idle after both', async () => {
    const { yard } = await openLedgerYard('', { engine: engine() });
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const call = client.tools.call(pay, { input: toBob, sessionId });
    const { id } = await firstPending(yard);
    await converse(yard, sessionId, 'hello');
    expect(await statusOf(yard, sessionId)).toBe('waiting');
    expect((await logOf(yard, sessionId)).at(-1)).toMatchObject({ data: { status: 'waiting' } });
    await client.approvals.answer(id, { decision: 'allow' });
    await call;
    await becomes(yard, sessionId, 'idle');
  });

  it('is not what is retried, and does not stop the next message', async () => {
    const { yard } = await openLedgerYard('toolApproval: { defaultTier: auto }', { engine: engine() });
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const { turnId } = await client.sessions.send(sessionId, 'wait');
    await readUntil(yard, sessionId, ({ type }) => type === 'text_delta');
    await client.sessions.interrupt(sessionId);
    await client.tools.call(pay, { input: toBob, sessionId });
    const isEndOfCall = (event: Event) => event.type === 'turn_end' && event.data.turnId !== turnId;
    await readUntil(yard, sessionId, isEndOfCall);
    const again = await client.sessions.retry(sessionId);
    await readUntil(
      yard,
      sessionId,
      ({ type, data }) => type === 'turn_start' && 'turnId' in data && data.turnId === again.turnId,
    );
    await client.sessions.interrupt(sessionId);
    expect(turnId).not.toBe(again.turnId);
    const events = await converse(yard, sessionId, 'hello');
    expect(events.at(-1)).toMatchObject({ data: { outcome: 'completed' } });
  });

  it('ends as restarted with the server, and the turn that waits beside it goes on', async () => {
    const { yard, home } = await openLedgerYard();
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create();
    const { turnId } = await client.sessions.send(sessionId, 'pay bob');
    const [own] = await pendingOf(yard);
    const call = client.tools.call(pay, { input: { to: 'eve' }, sessionId });
    call.catch(() => {});
    const beside = (await pendingOf(yard, 2)).find(({ id }) => id !== own?.id);
    await yard.close();
    const { yard: next, ran } = await openLedgerYard('', { home });
    await readUntil(next, sessionId, isEndOf(beside?.turnId ?? ''));
    expect(await next.client().approvals.get(beside?.id ?? '')).toMatchObject({ state: 'cancelled' });
    expect(await statusOf(next, sessionId)).toBe('waiting');
    await next.client().approvals.answer(own?.id ?? '', { decision: 'allow' });
    const events = await readUntil(next, sessionId, isEndOf(turnId));
    const ends = events.flatMap((event) => (event.type === 'turn_end' ? [event.data] : []));
    expect(ends).toMatchObject([
      { turnId: beside?.turnId, outcome: 'failed', error: { code: 'restarted' } },
      { turnId, outcome: 'completed' },
    ]);
    expect(ran).toEqual(['bob']);
  });
});

describe('a call that is cut off', () => {
  it('by a stop of the server is cancelled, and its caller hears so before the server is gone', async () => {
    const { yard, ran, home } = await openLedgerYard();
    const { id: sessionId } = await yard.client().sessions.create();
    const call = yard.client().tools.call(pay, { input: toBob, sessionId });
    const approval = await firstPending(yard);
    await yard.close();
    expect(await call).toMatchObject({
      isError: true,
      text: 'The call was not run: the request was cancelled.',
    });
    const { yard: again } = await openLedgerYard('', { home });
    const client = again.client();
    expect(await client.approvals.get(approval.id)).toMatchObject({ state: 'cancelled' });
    await expect(client.approvals.answer(approval.id, { decision: 'allow' })).rejects.toMatchObject({
      code: 'already_answered',
    });
    expect(await statusOf(again, sessionId)).toBe('idle');
    expect(ran).toEqual([]);
  });

  it('by a crash has an unknown result in the audit, and nobody is told to retry it', async () => {
    const { yard, home } = await openLedgerYard();
    const { id: sessionId } = await yard.client().sessions.create();
    await yard.close();
    const at = '2026-11-15T12:00:00.000Z';
    const turnId = `trn_${'0'.repeat(22)}`;
    // What a process leaves behind that dies while a call runs.
    const { store } = await openTestStore(join(home, 'toolyard.db'));
    await store.commit(async (tx) => {
      const times = { createdAt: at, startedAt: at };
      const turn = {
        id: turnId,
        originTurnId: turnId,
        sessionId,
        state: 'running',
        content: 'direct',
      } as const;
      await tx.insertTurn({ ...turn, seq: 0, costUsd: 0, ...times });
      const call = { turnId, sessionId, callId: 'call_1', tool: pay, input: toBob } as const;
      await tx.putToolCall({ ...call, state: 'started', askedAt: at, startedAt: at });
    });
    await store.close();
    const { yard: again } = await openLedgerYard('', { home });
    const { items } = await again.client().audit.list();
    expect(items).toMatchObject([
      { kind: 'result', outcome: 'unknown', tool: pay, input: toBob, actor: { kind: 'system' } },
    ]);
    expect((await logOf(again, sessionId)).find(({ type }) => type === 'turn_end')).toMatchObject({
      data: {
        error: {
          code: 'restarted',
          message:
            'The server stopped during this call. Check its effect, then call the tool again if needed.',
        },
      },
    });
    expect(await again.client().audit.verify()).toMatchObject({ ok: true });
  });
});

it('a conversation is at work while a call beside it is, and an interrupt leaves that call alone', async () => {
  const { yard, ran } = await openLedgerYard();
  const client = yard.client();
  const { id: sessionId } = await client.sessions.create();
  const call = client.tools.call('mcp__suite__look', { input: { at: 'it' }, sessionId });
  const { id: approvalId } = await firstPending(yard);
  expect(await statusOf(yard, sessionId)).toBe('waiting');
  await client.sessions.interrupt(sessionId).catch(() => {});
  await client.approvals.answer(approvalId, { decision: 'allow' });
  await call;
  await becomes(yard, sessionId, 'idle');
  expect(ran).toEqual(['it']);
  const states = (await logOf(yard, sessionId)).flatMap((event) =>
    event.type === 'session_status' ? event.data.status : [],
  );
  expect(states).toEqual(['running', 'waiting', 'running', 'idle']);
});
