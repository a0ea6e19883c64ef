// A message that waits is taken back: its turn never runs, and neither people nor models come across it afterwards.
import { emptyView, pause, reduce } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { isEndOf, logOf, openTestYard, readUntil } from '../../support/yard.ts';

/** Each turn works until it is stopped, and tells what it was sent. */
async function openBusy() {
  const heard: string[] = [];
  const engine = createScriptedEngine({
    reply: ({ text }) => {
      heard.push(text);
      return text.startsWith('short') ? [{ text }] : [{ text }, { untilAborted: true }];
    },
  });
  const yard = await openTestYard({ engine });
  const { sessions } = yard.client();
  const { id } = await sessions.create({});
  const first = await sessions.send(id, 'long');
  await readUntil(yard, id, ({ type }) => type === 'text_delta');
  return { yard, sessions, id, first, heard };
}

describe('a queued message', () => {
  it('is taken back: what was queued behind it runs, it does not, and its view never had it', async () => {
    const { yard, sessions, id, heard } = await openBusy();
    const second = await sessions.send(id, 'short second');
    const third = await sessions.send(id, 'short third');
    expect(await sessions.interrupt(id, { turnId: second.turnId })).toEqual({ turnId: second.turnId });
    expect(await sessions.get(id)).toMatchObject({ status: 'running' });
    expect((await logOf(yard, id)).reduce(reduce, emptyView).queued).toMatchObject([
      { turnId: third.turnId },
    ]);
    await sessions.interrupt(id);
    const events = await readUntil(yard, id, isEndOf(third.turnId));
    expect(heard).toEqual(['long', 'short third']);
    const { items } = events.reduce(reduce, emptyView);
    const said = items.flatMap((item) => (item.kind === 'user' ? [item.content] : []));
    expect(said).toEqual(['long', 'short third']);
    const fork = await sessions.fork(id);
    const copied = (await logOf(yard, fork.id)).filter(({ type }) => type === 'user_message');
    expect(copied.map(({ data }) => Object(data).content)).toEqual(['long', 'short third']);
  });

  it('is not what a retry runs, and stays taken back over a restart', async () => {
    const { yard, sessions, id, heard } = await openBusy();
    const second = await sessions.send(id, 'short second');
    await sessions.interrupt(id, { turnId: second.turnId });
    await sessions.interrupt(id);
    await yard.close();
    const again = await openTestYard({ home: yard.home, engine: createScriptedEngine() });
    expect(await again.client().sessions.get(id)).toMatchObject({ status: 'idle' });
    const { turnId } = await again.client().sessions.retry(id);
    const events = await readUntil(again, id, isEndOf(turnId));
    expect([heard, JSON.stringify(events.at(-1))]).toEqual([['long'], expect.stringContaining('completed')]);
  });

  it('is taken back or runs, whichever comes first, and never both', async () => {
    const { yard, sessions, id, heard } = await openBusy();
    const sent: string[] = [];
    for (let count = 0; count < 12; count++) sent.push((await sessions.send(id, `short ${count}`)).turnId);
    const stopping = sessions.interrupt(id);
    const taken: string[] = [];
    for (const turnId of sent) {
      const { turnId: gone } = await sessions.interrupt(id, { turnId });
      if (gone) taken.push(gone);
      // So that some of them run meanwhile.
      await pause(2);
    }
    await stopping;
    await readUntil(yard, id, ({ type, data }) => type === 'session_status' && data.status === 'idle');
    const ends = (await logOf(yard, id)).flatMap((event) => (event.type === 'turn_end' ? [event.data] : []));
    expect(ends).toHaveLength(13);
    const withdrawn = ends.filter((end) => end.withdrawn).length;
    expect(heard).toHaveLength(13 - withdrawn);
    expect(taken).toHaveLength(withdrawn);
  });
});

it('one that has begun or ended, that is another session’s or that nobody knows is not taken back', async () => {
  const { yard, sessions, id, first } = await openBusy();
  const other = await sessions.create({});
  expect(await sessions.interrupt(other.id, { turnId: first.turnId })).toEqual({ turnId: null });
  expect(await sessions.interrupt(id, { turnId: `trn_${'0'.repeat(22)}` })).toEqual({ turnId: null });
  expect(await sessions.interrupt(id, { turnId: first.turnId })).toEqual({ turnId: null });
  expect(await sessions.interrupt(id)).toEqual({ turnId: first.turnId });
  expect(await sessions.interrupt(id, { turnId: first.turnId })).toEqual({ turnId: null });
  expect((await logOf(yard, id)).filter(({ type }) => type === 'turn_end')).toHaveLength(1);
});
