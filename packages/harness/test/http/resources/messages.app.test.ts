import type { Event } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { isEndOf, openTestYard, readUntil } from '../../support/yard.ts';
import { ask, askJson, readStream } from '../asking.ts';

const stream = { accept: 'text/event-stream' };
const types = (events: readonly Event[]) => events.map(({ type }) => type);

async function openSession(reply: Parameters<typeof createScriptedEngine>[0] = {}) {
  const yard = await openTestYard({ engine: createScriptedEngine(reply) });
  const { id } = await yard.client().sessions.create();
  return { yard, id, messages: `/api/sessions/${id}/messages` };
}

describe('a message', () => {
  it('is answered 202 with its turn and its number once it is stored', async () => {
    const { yard, id, messages } = await openSession({ reply: () => [{ text: 'ok' }] });
    const { status, body } = await askJson(yard, messages, { body: { content: 'hi' } });
    expect([status, body]).toEqual([202, { turnId: expect.stringMatching(/^trn_/), seq: 1 }]);
    const [first] = await readUntil(yard, id, isEndOf(body.turnId));
    expect(first).toMatchObject({
      seq: 1,
      type: 'user_message',
      data: { content: 'hi', turnId: body.turnId },
    });
  });

  it('is refused when there is nothing in it but blanks', async () => {
    const { yard, id, messages } = await openSession();
    for (const content of [' ', '\u00a0', [{ type: 'text', text: '\n' }]]) {
      const { status, body } = await askJson(yard, messages, { body: { content } });
      const message = 'content: content is blank: write something, or attach an image or a file';
      expect([status, body.error]).toEqual([400, expect.objectContaining({ message })]);
    }
    expect((await yard.client().sessions.get(id)).lastSeq).toBe(0);
  });

  it('is answered with the turn as it happens for Accept: text/event-stream, which then ends', async () => {
    const { yard, messages } = await openSession({
      reply: () => [{ text: 'a' }, { pauseMs: 40 }, { text: 'b' }],
    });
    const headers = { accept: 'application/json, Text/Event-Stream' };
    const response = await ask(yard, messages, { body: { content: 'hi' }, headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const events = await readStream(response);
    expect(types(events)).toEqual([
      'user_message',
      'turn_start',
      'text_delta',
      'text_delta',
      'usage',
      'turn_end',
    ]);
  });

  it('streams its own turn only, past the one that runs and those that wait', async () => {
    const { yard, id, messages } = await openSession({ reply: ({ text }) => [{ pauseMs: 30 }, { text }] });
    await askJson(yard, messages, { body: { content: 'first' } });
    const reading = ask(yard, messages, { body: { content: 'second' }, headers: stream }).then((response) =>
      readStream(response),
    );
    const third = await askJson(yard, messages, { body: { content: 'third' } });
    const events = await reading;
    expect(types(events)).toEqual(['user_message', 'turn_start', 'text_delta', 'usage', 'turn_end']);
    expect(JSON.stringify(events)).not.toMatch(/first|third/);
    await readUntil(yard, id, isEndOf(third.body.turnId));
  });

  it('P18: with a known key streams the same turn again, also when it is over', async () => {
    const { yard, messages } = await openSession({ reply: () => [{ text: 'once' }] });
    const headers = { ...stream, 'idempotency-key': 'k1' };
    const [first, again] = [
      await readStream(await ask(yard, messages, { body: { content: 'hi' }, headers })),
      await readStream(await ask(yard, messages, { body: { content: 'hi' }, headers })),
    ];
    expect(again).toEqual(first);
    const other = await askJson(yard, messages, { body: { content: 'other' }, headers });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
  });

  it('goes on when its reader leaves', async () => {
    const { yard, id, messages } = await openSession({
      reply: () => [{ text: 'a' }, { pauseMs: 40 }, { text: 'b' }],
    });
    const response = await ask(yard, messages, { body: { content: 'hi' }, headers: stream });
    const [message] = await readStream(response, ({ type }) => type === 'user_message');
    const turnId = message?.type === 'user_message' ? message.data.turnId : '';
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'completed' });
  });
});

describe('interrupt and retry', () => {
  it('answer with the turn they mean, or that there is none', async () => {
    const { yard, id, messages } = await openSession({
      reply: () => [{ text: 'a' }, { untilAborted: true }],
    });
    const path = `/api/sessions/${id}`;
    expect(await askJson(yard, `${path}/retry`, { method: 'POST' })).toMatchObject({
      status: 409,
      body: { error: { code: 'nothing_to_retry' } },
    });
    expect(await askJson(yard, `${path}/interrupt`, { method: 'POST' })).toEqual({
      status: 200,
      body: { turnId: null },
    });
    const { body } = await askJson(yard, messages, { body: { content: 'hi' } });
    await readUntil(yard, id, ({ type }) => type === 'text_delta');
    expect(await askJson(yard, `${path}/interrupt`, { body: {} })).toEqual({
      status: 200,
      body: { turnId: body.turnId },
    });
    const retried = await askJson(yard, `${path}/retry`, { body: {} });
    expect(retried).toMatchObject({ status: 202, body: { turnId: expect.stringMatching(/^trn_/) } });
    expect(retried.body.turnId).not.toBe(body.turnId);
    await askJson(yard, `${path}/interrupt`, { method: 'POST' });
  });
});
