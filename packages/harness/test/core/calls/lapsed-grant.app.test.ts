// A permission that is taken back in the moment between the judgement of a call and its start.
import type { Store } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { firstPending, openLedgerYard, textOf } from '../../support/ledger.ts';
import { isEndOf, readUntil } from '../../support/yard.ts';

/** A store in which each grant that is found is gone before anybody can use it, once `armed`. */
function createRace(then: 'revoked' | 'expired') {
  const race = { armed: false };
  const wrapStore = (store: Store): Store => ({
    ...store,
    lastAliveAt: store.lastAliveAt,
    reads: {
      ...store.reads,
      async grantFor(call) {
        const found = await store.reads.grantFor(call);
        if (!found || !race.armed) return found;
        await store.commit(async (tx) => {
          if (then === 'revoked') await tx.deleteGrant(found.id);
          else await tx.putGrant({ ...found, expiresAt: new Date(0).toISOString() });
        });
        return found;
      },
    },
  });
  return { race, wrapStore };
}

const lapsed = 'The call was not run: its permission was just revoked. Call it again to ask the person.';

describe.each(['revoked', 'expired'] as const)('a grant that is %s after a call was judged by it', (then) => {
  it('starts nothing, says so, and the next call asks', async () => {
    const { race, wrapStore } = createRace(then);
    const { yard, ran } = await openLedgerYard('', { wrapStore });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = await client.sessions.send(id, 'pay bob');
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
    await readUntil(yard, id, isEndOf(first.turnId));
    race.armed = true;
    const second = await client.sessions.send(id, 'pay bob');
    const events = await readUntil(yard, id, isEndOf(second.turnId));
    expect(textOf(events)).toBe(`{"paid":"bob"}${lapsed}`);
    expect(ran).toEqual(['bob']);
    const { items } = await client.audit.list();
    expect(items.at(-1)).toMatchObject({
      kind: 'decision',
      decision: 'deny',
      rule: 'its grant no longer holds',
    });
    await client.sessions.send(id, 'pay bob');
    expect(await firstPending(yard)).toMatchObject({ input: { to: 'bob' } });
  });

  it('lets no tool of the engine’s own run either', async () => {
    const { race, wrapStore } = createRace(then);
    const engine = createScriptedEngine({
      nativeTools: [{ name: 'scripted:write', effect: 'execute' }],
      reply: ({ outcomes }) =>
        outcomes.length > 0
          ? [{ text: outcomes.map(({ text }) => text).join() }]
          : [{ native: { tool: 'scripted:write', input: { to: 'bob' } } }],
    });
    const { yard } = await openLedgerYard('', { wrapStore, engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = await client.sessions.send(id, 'go');
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
    await readUntil(yard, id, isEndOf(first.turnId));
    race.armed = true;
    const second = await client.sessions.send(id, 'go');
    const events = await readUntil(yard, id, isEndOf(second.turnId));
    expect(textOf(events)).toBe(`Allowed.${lapsed}`);
  });
});
