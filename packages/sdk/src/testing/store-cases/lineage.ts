// Events of a drafted agent's session say where in a run it stands, wherever they are read; others say nothing.
import type { Event } from '../../protocol/event.ts';
import type { Store } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import { agentId, type StoreCase, sampleSession, sessionId, textDraft } from '../support/store-samples.ts';

const child = { rootSessionId: sessionId(1), agentId: agentId(1), depth: 1 };
const grandchild = { rootSessionId: sessionId(1), parentAgentId: agentId(1), agentId: agentId(2), depth: 2 };

async function insertFamily(store: Store): Promise<void> {
  await store.commit(async (tx) => {
    await tx.insertSession(sampleSession(1, { taskSlug: 'checkout' }));
    await tx.insertSession(sampleSession(2, { ...child, taskSlug: 'checkout' }));
    await tx.insertSession(sampleSession(3, grandchild));
  });
}

function toLineages(events: readonly Event[]) {
  return events.map(({ lineage }) => lineage);
}

export const lineageCases: StoreCase[] = [
  {
    title: 'keeps whose agent works in a session, how deep, and on what',
    async play({ store, reopen }) {
      await insertFamily(store);
      const { reads } = await reopen();
      const expected = [
        sampleSession(1, { taskSlug: 'checkout' }),
        sampleSession(2, { ...child, taskSlug: 'checkout' }),
        sampleSession(3, grandchild),
      ];
      const sessions = await Promise.all([1, 2, 3].map((number) => reads.session(sessionId(number))));
      assertEqual(
        sessions,
        expected.map((session) => ({ ...session, lastSeq: 0 })),
        'the sessions',
      );
    },
  },
  {
    title: 'every event of an agent says its lineage, as news and as it is read, and no other event does',
    async play({ store, reopen }) {
      await insertFamily(store);
      const received: Event[] = [];
      store.onCommitted((events) => void received.push(...events));
      const drafts = [1, 2, 3, 2].map((session) => textDraft(session, 'x'));
      const appended = await store.commit((tx) => tx.append(drafts));
      const expected = [undefined, child, grandchild, child];
      assertEqual(toLineages(appended), expected, 'what was appended');
      assertEqual(
        appended.map((event) => Object.hasOwn(event, 'lineage')),
        [false, true, true, true],
        'who has one',
      );
      assertEqual(received, appended, 'the news');
      const within = await store.commit(async (tx) => {
        await tx.append([textDraft(3, 'y')]);
        return tx.events(sessionId(3), 0, 9);
      });
      assertEqual(toLineages(within), [grandchild, grandchild], 'what the same commit reads');
      const again = await reopen();
      const placed = await again.reads.allEvents(0, 4);
      assertEqual(
        placed.map(({ event }) => event),
        appended,
        'the log of all sessions',
      );
      const logs = await Promise.all(
        [1, 2, 3].map((number) => again.reads.events(sessionId(number), 0, 1, 10)),
      );
      assertEqual(logs.flat(), appended.slice(0, 3), 'the log of each');
      const later = await again.commit((tx) => tx.append([textDraft(2, 'z')]));
      assertEqual(toLineages(later), [child], 'what is appended after a restart');
    },
  },
];
