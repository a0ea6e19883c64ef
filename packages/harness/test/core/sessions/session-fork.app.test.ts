// Forking a session, through the whole yard: what the fork shows, what its agent remembers, and what stays behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, type EventType, emptyView, reduce, type TranscriptItem } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { openRaw } from '../../store/support.ts';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { converse, isEndOf, logOf, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

/** Says what it remembers. */
const remembering = () => createScriptedEngine({ reply: ({ history }) => [{ text: history.join(', ') }] });

/** What people see of a log, without its numbers and names, and without what it used. */
function shown(events: readonly Event[]) {
  const { items } = events.reduce(reduce, emptyView);
  return items.map((item: TranscriptItem) => {
    const { seq: _, usage: _used, ...rest } = { usage: undefined, ...item };
    return 'turnId' in rest ? { ...rest, turnId: 'any' } : rest;
  });
}

function seqOf(events: readonly Event[], words: string): number {
  return events.find((event) => event.type === 'user_message' && event.data.content === words)?.seq ?? -1;
}

async function talk(yard: Yard, ...messages: string[]): Promise<{ id: string; events: Event[] }> {
  const { id } = await yard.client().sessions.create({ title: 'The original', mode: 'plan' });
  for (const message of messages) await converse(yard, id, message);
  return { id, events: await logOf(yard, id) };
}

const startOfTurn: EventType[] = ['user_message', 'session_status', 'turn_start'];

/** The messages of a log. */
function saidIn(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === 'user_message' ? [event.data.content] : [])).join(', ');
}

describe('a fork', () => {
  it('of a whole session shows all of it under its own numbers, and costs nothing', async () => {
    const yard = await openTestYard({ engine: remembering() });
    const { id, events } = await talk(yard, 'one', 'two');
    const original = await yard.client().sessions.get(id);
    const fork = await yard.client().sessions.fork(id);
    expect(fork).toEqual({
      ...original,
      id: expect.not.stringMatching(id),
      rootSessionId: fork.id,
      title: 'The original (fork)',
      lastSeq: fork.lastSeq,
      forkedFrom: { sessionId: id, seq: events.findLast(({ type }) => type === 'turn_end')?.seq },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const copied = await logOf(yard, fork.id);
    expect(copied.map(({ seq }) => seq)).toEqual(copied.map((_, index) => index + 1));
    expect(shown(copied)).toEqual(shown(events));
    expect(copied.some(({ type }) => type === 'usage')).toBe(false);
    expect((await yard.client().sessions.get(id)).lastSeq).toBe(original.lastSeq);
  });

  it('at an event keeps the turn that it is in, and its agent remembers that and no more', async () => {
    const yard = await openTestYard({ engine: remembering() });
    const { id, events } = await talk(yard, 'one', 'two', 'three');
    const { fork } = yard.client().sessions;
    const atMessage = await fork(id, { at: seqOf(events, 'two') });
    const inAnswer = await fork(id, { at: seqOf(events, 'two') + 3 });
    const beforeNext = await fork(id, { at: seqOf(events, 'three') - 1 });
    for (const { id: forked } of [atMessage, inAnswer, beforeNext]) {
      const said = await converse(yard, forked, 'and now');
      expect(said.filter(({ type }) => type === 'text_delta').at(-1)).toMatchObject({
        data: { text: 'one, two, and now' },
      });
      expect(shown(await logOf(yard, forked)).slice(0, 6)).toEqual(shown(events).slice(0, 6));
    }
    const untouched = await converse(yard, id, 'four');
    expect(untouched.findLast(({ type }) => type === 'text_delta')).toMatchObject({
      data: { text: 'one, two, three, four' },
    });
  });

  it('at any event whatever keeps whole turns: up to the one that it is in or that it begins', async () => {
    const engine = createScriptedEngine({
      reply: ({ text }) => (text === 'hang' ? [{ text: 'x' }, { untilAborted: true }] : [{ text: 'ok' }]),
    });
    const yard = await openTestYard({ engine });
    const { id, events } = await talk(yard, 'one', 'two');
    const second = seqOf(events, 'two');
    expect(events.slice(second - 1, second + 2).map(({ type }) => type)).toEqual(startOfTurn);
    const { seq: third } = await yard.client().sessions.send(id, 'hang');
    await readUntil(yard, id, (event) => event.type === 'text_delta' && event.seq > third);
    const log = await logOf(yard, id);
    const kept: string[] = [];
    for (const { seq: at } of log) {
      const fork = await yard
        .client()
        .sessions.fork(id, { at })
        .catch(({ code }) => code as string);
      kept.push(typeof fork === 'string' ? fork : saidIn(await logOf(yard, fork.id)));
    }
    expect(kept).toEqual(
      log.map(({ seq }) => (seq < second ? 'one' : seq < third ? 'one, two' : 'session_busy')),
    );
  });

  it('at an event while a message waits keeps the turn that is under way there', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = converse(yard, id, 'pay bob');
    const approval = await firstPending(yard);
    const { seq: queued, turnId } = await client.sessions.send(id, 'hello');
    await client.approvals.answer(approval.id, { decision: 'allow' });
    await first;
    const log = await readUntil(yard, id, isEndOf(turnId));
    const status = log.find(({ type, seq }) => type === 'session_status' && seq > queued)?.seq ?? -1;
    const next = log.find((event) => event.type === 'turn_start' && event.data.turnId === turnId)?.seq ?? -1;
    const keptAt = async (at: number) =>
      saidIn(await logOf(yard, (await client.sessions.fork(id, { at })).id));
    expect([await keptAt(queued), await keptAt(status), await keptAt(next - 1), await keptAt(next)]).toEqual([
      ...['pay bob, hello', 'pay bob', 'pay bob', 'pay bob, hello'],
    ]);
  });

  it('costs nothing of what its original cost', async () => {
    const home = await memoryDirectory();
    const env = { ANTHROPIC_API_KEY: 'a-key' };
    const yard = await openTestYard({ engine: remembering(), home, env });
    const { id } = await talk(yard, 'one');
    const original = await yard.client().sessions.get(id);
    expect(original.costUsd).not.toBe(0);
    const fork = await yard.client().sessions.fork(id);
    expect([fork.costUsd, (await yard.client().sessions.get(id)).costUsd]).toEqual([0, original.costUsd]);
    const raw = openRaw(join(home, 'toolyard.db'));
    const turns = raw.prepare(`SELECT cost_usd AS cost FROM turns WHERE session_id = '${fork.id}'`).all();
    raw.close();
    expect(turns.map(({ cost }) => cost)).toEqual([0]);
  });

  it('before the first message is empty', async () => {
    const yard = await openTestYard({ engine: remembering() });
    const { id } = await talk(yard, 'one');
    const fork = await yard.client().sessions.fork(id, { at: 0, title: 'Afresh' });
    expect(fork).toMatchObject({ title: 'Afresh', lastSeq: 0, forkedFrom: { sessionId: id, seq: 0 } });
    expect((await converse(yard, fork.id, 'hi')).find(({ type }) => type === 'text_delta')).toMatchObject({
      data: { text: 'hi' },
    });
    expect((await yard.client().sessions.fork(fork.id)).forkedFrom?.sessionId).toBe(fork.id);
  });

  it('of a fork and of what was said in it goes on from both', async () => {
    const yard = await openTestYard({ engine: remembering() });
    const { id } = await talk(yard, 'one');
    const first = await yard.client().sessions.fork(id);
    await converse(yard, first.id, 'two');
    const second = await yard.client().sessions.fork(first.id);
    expect(
      (await converse(yard, second.id, 'three')).findLast(({ type }) => type === 'text_delta'),
    ).toMatchObject({
      data: { text: 'one, two, three' },
    });
  });

  it('leaves out what people were asked, calls that others made and messages that were queued', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const turn = Array.fromAsync(client.sessions.stream(id, 'pay bob'));
    const approval = await firstPending(yard);
    const { turnId: queued } = await client.sessions.send(id, 'hello');
    await client.approvals.answer(approval.id, { decision: 'allow', scope: 'session' });
    await turn;
    await readUntil(yard, id, (event) => event.type === 'turn_end' && event.data.turnId === queued);
    await client.tools.call('mcp__suite__pay', { input: { to: 'bob' }, sessionId: id });
    const events = await logOf(yard, id);
    const fork = await client.sessions.fork(id, { at: seqOf(events, 'pay bob') });
    const copied = await logOf(yard, fork.id);
    expect(copied.map(({ type }) => type)).toEqual([
      ...['user_message', 'turn_start', 'tool_call_start', 'tool_call_end', 'tool_result'],
      ...['text_delta', 'turn_end'],
    ]);
    expect((await client.approvals.list({ sessionId: fork.id })).items).toEqual([]);
    // What was allowed in the original was allowed there.
    const again = Array.fromAsync(client.sessions.stream(fork.id, 'pay bob'));
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'deny' });
    await again;
  });

  it('at a turn that failed can be retried there, and runs no call again', async () => {
    let broken = true;
    const engine = createScriptedEngine({
      reply: ({ step, outcomes }) => {
        if (step === 0) return [{ calls: [{ tool: 'mcp__toolyard__ping', input: {} }] }];
        if (broken) return [{ fail: { code: 'provider_failed', message: 'Down.' } }];
        return [{ text: `heard ${outcomes.length}` }];
      },
    });
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create({ mode: 'bypassPermissions' });
    await converse(yard, id, 'ping');
    const fork = await yard.client().sessions.fork(id);
    broken = false;
    const { turnId } = await yard.client().sessions.retry(fork.id);
    const events = await readUntil(
      yard,
      fork.id,
      (event) => event.type === 'turn_end' && event.data.turnId === turnId,
    );
    expect(events.findLast(({ type }) => type === 'text_delta')).toMatchObject({ data: { text: 'heard 1' } });
    expect(events.filter(({ type }) => type === 'tool_call_start')).toHaveLength(1);
  });

  it('reads the outputs that were cut in its original, also when that one is deleted', async () => {
    const config = 'output: { maxBytes: 1024 }\ntoolApproval: { defaultTier: auto }';
    const { yard, home } = await openLedgerYard(config);
    const client = yard.client();
    const { id } = await client.sessions.create();
    await converse(yard, id, `pay ${'x'.repeat(3_000)}`);
    const fork = await client.sessions.fork(id);
    const [outputId = ''] = readdirSync(join(home, 'outputs', fork.id));
    await client.sessions.delete(id);
    const piece = await client.outputs.read(outputId, { sessionId: fork.id });
    expect(piece.totalBytes).toBeGreaterThan(3_000);
    expect(shown(await logOf(yard, fork.id)).length).toBeGreaterThan(2);
  });

  it('tells a long answer in few events', async () => {
    const engine = createScriptedEngine({
      reply: () => Array.from({ length: 400 }, (_, index) => ({ text: `${index} ` })),
    });
    const yard = await openTestYard({ engine });
    const { id, events } = await talk(yard, 'count');
    const fork = await yard.client().sessions.fork(id);
    expect(fork.lastSeq).toBe(4);
    expect(shown(await logOf(yard, fork.id))).toEqual(shown(events));
  });
});

describe('a fork that cannot be made', () => {
  it('of a turn under way says to wait, to interrupt or where to fork', async () => {
    const engine = createScriptedEngine({
      reply: ({ text }) => (text === 'hang' ? [{ text: 'x' }, { untilAborted: true }] : [{ text: 'ok' }]),
    });
    const yard = await openTestYard({ engine });
    const { id } = await talk(yard, 'one');
    const { seq } = await yard.client().sessions.send(id, 'hang');
    await readUntil(yard, id, (event) => event.type === 'turn_start' && event.seq > seq);
    const message = `The turn to fork at has not ended. Wait for it, interrupt it, or fork before its message, at ${seq - 1}.`;
    await expect(yard.client().sessions.fork(id)).rejects.toMatchObject({ code: 'session_busy', message });
    await expect(yard.client().sessions.fork(id, { at: seq })).rejects.toMatchObject({
      code: 'session_busy',
    });
    expect(await yard.client().sessions.fork(id, { at: seq - 1 })).toMatchObject({
      title: 'The original (fork)',
    });
  });

  it('of a first turn under way says that too: before it is nothing, which can be forked', async () => {
    const engine = createScriptedEngine({ reply: () => [{ text: 'x' }, { untilAborted: true }] });
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create();
    await yard.client().sessions.send(id, 'hang');
    await readUntil(yard, id, ({ type }) => type === 'text_delta');
    await expect(yard.client().sessions.fork(id)).rejects.toMatchObject({
      code: 'session_busy',
      message:
        'The turn to fork at has not ended. Wait for it, interrupt it, or fork before its message, at 0.',
    });
    expect(await yard.client().sessions.fork(id, { at: 0 })).toMatchObject({ lastSeq: 0 });
  });

  it.each([
    [
      'an event that does not exist',
      999,
      {
        code: 'message_not_found',
        message: 'This session has no event 999. Use a number of at most 7.',
      },
    ],
    ['no number', -1, { code: 'invalid_request' }],
    ['half a number', 1.5, { code: 'invalid_request' }],
  ])('at %s says so', async (_, at, refusal) => {
    const yard = await openTestYard({ engine: remembering() });
    const { id } = await talk(yard, 'one');
    await expect(yard.client().sessions.fork(id, { at })).rejects.toMatchObject(refusal);
    expect((await yard.client().sessions.list()).items).toHaveLength(1);
  });

  it('of no session, or of one that was made for a call, says so', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    await expect(client.sessions.fork(`ses_${'0'.repeat(22)}`)).rejects.toMatchObject({
      code: 'session_not_found',
    });
    const { sessionId } = await client.tools.call('mcp__toolyard__ping', { mode: 'bypassPermissions' });
    await expect(client.sessions.fork(sessionId)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'This session cannot be forked. It has no messages.',
    });
  });
});
