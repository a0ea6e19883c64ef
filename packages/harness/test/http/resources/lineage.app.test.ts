// Where an agent stands in its run is said with each of its events, whichever way they are read.
import { type Event, parseEvent, type Session, type Store } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { isEndOf, openTestYard, readUntil } from '../../support/yard.ts';

it('an agent’s events carry its lineage to every reader, and those of a fork of it do not', async () => {
  let opened: Store | undefined;
  const yard = await openTestYard({
    wrapStore: (store) => {
      opened = store;
      return store;
    },
  });
  const client = yard.client();
  const root = await client.sessions.create({});
  const id = root.id.replace(/.{4}$/, '0000');
  const lineage = { rootSessionId: root.id, agentId: `agt_${'1'.repeat(22)}`, depth: 1 };
  const { lastSeq, ...session }: Session = { ...root, id, ...lineage };
  await opened?.commit((tx) => tx.insertSession(session));
  const told = await Array.fromAsync(client.sessions.stream(id, 'hello'));
  const end = told.findLast(({ type }) => type === 'turn_end');
  const events = await readUntil(yard, id, isEndOf(end?.type === 'turn_end' ? end.data.turnId : ''));
  const exported = JSON.parse(
    await new Response(await client.sessions.export(id, { format: 'json' })).text(),
  );
  const lines: Event[] = exported.events.map(parseEvent);
  const lineages = (list: readonly Event[]) => [
    ...new Set(list.map((event) => JSON.stringify(event.lineage))),
  ];
  const [said] = lineages(events);
  expect(JSON.parse(said ?? '')).toEqual(lineage);
  expect([lineages(told), lineages(events), lineages(lines)]).toEqual([[said], [said], [said]]);

  const fork = await client.sessions.fork(id);
  const { agentId, depth, parentAgentId } = fork;
  expect({ agentId, depth, parentAgentId }).toEqual({});
  const copied = await readUntil(yard, fork.id, ({ type }) => type === 'turn_end');
  expect(copied.filter((event) => 'lineage' in event)).toEqual([]);
});
