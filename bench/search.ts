// Search over a hundred thousand messages and the list of ten thousand sessions, both from our own store, beside what plain
// SQL would do on the same file.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Client, pause } from '@toolyard/sdk';
import { openYard } from '../packages/harness/src/app.ts';
import { prepareHome } from '../packages/harness/src/core/files/home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { fillMessages, wordAt } from './fill-messages.ts';
import { interleave, timed } from './interleave.ts';
import { type Summary, toMs, toSpread } from './samples.ts';

const sessions = 10_000;
const turns = 5;
const messages = sessions * turns * 2;
const pageLength = 50;
const hits = 20;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export const search: Benchmark = {
  name: 'search',
  title: `search ${messages.toLocaleString('en-US')} messages, list ${sessions.toLocaleString('en-US')} sessions`,
  async run({ rounds, folder }) {
    const home = join(folder, 'home');
    await prepareHome(home);
    await fillMessages(home, { sessions, turns });
    const env = { CLAUDE_CONFIG_DIR: join(folder, 'none') };
    const startMs = performance.now();
    const yard = await openYard({ home, workspace: folder, env, rehearse: true, logger: quiet });
    const openedMs = performance.now() - startMs;
    const plain = new DatabaseSync(join(home, 'toolyard.db'), { readOnly: true });
    try {
      const client = yard.client();
      const indexMs = await timed(() => waitForIndex(client));
      const rows: Row[] = [];
      for (const [name, query] of queries)
        rows.push(await measureSearch({ client, plain, rounds }, name, query));
      rows.push(await measureList({ client, plain, rounds }));
      const opened = `Opening that home took ${toMs(openedMs)}, and the index was made behind it in ${toMs(indexMs)}.`;
      return { rows, notes: [opened] };
    } finally {
      plain.close();
      await yard.close();
    }
  },
};

/** The words of each query change from one time to the next. */
const queries: [string, (time: number) => string[]][] = [
  ['a rare word', (time) => [wordAt(19_000 + time)]],
  ['a common word', (time) => [wordAt(time % 20)]],
  ['two words', (time) => [wordAt(50 + (time % 50)), wordAt(5_000 + time)]],
];

interface Arms {
  client: Client;
  plain: DatabaseSync;
  rounds: number;
}

async function waitForIndex(client: Client): Promise<void> {
  while ((await client.search({ q: wordAt(0), limit: 1 })).indexing) await pause(200);
}

async function measureSearch(
  { client, plain, rounds }: Arms,
  name: string,
  words: (time: number) => string[],
): Promise<Row> {
  let time = 0;
  const scan = (given: string[]) => {
    const likes = given.map(() => 'data LIKE ?').join(' AND ');
    const where = `type IN ('user_message', 'text_delta') AND ${likes}`;
    return plain
      .prepare(`SELECT position, data FROM events WHERE ${where} ORDER BY position DESC LIMIT ${hits}`)
      .all(...given.map((word) => `%${word}%`));
  };
  const found = await interleave(
    {
      ours: { run: () => timed(() => client.search({ q: words(time++).join(' '), limit: hits })) },
      scan: { run: () => timed(() => scan(words(time++))) },
    },
    { rounds, perRound: 5, warmUp: 5 },
  );
  return toRow(
    `search ${messages.toLocaleString('en-US')} messages: ${name}, ${hits} hits over HTTP`,
    found,
    'LIKE over the log',
  );
}

async function measureList({ client, plain, rounds }: Arms): Promise<Row> {
  const sql = `SELECT *, (SELECT max(seq) FROM events WHERE session_number = number) FROM sessions ORDER BY id DESC LIMIT ${pageLength}`;
  const found = await interleave(
    {
      ours: { run: () => timed(() => client.sessions.list({ limit: pageLength })) },
      scan: { run: () => timed(() => plain.prepare(sql).all()) },
    },
    { rounds, perRound: 5, warmUp: 5 },
  );
  return toRow(
    `list ${pageLength} of ${sessions.toLocaleString('en-US')} sessions of our own, over HTTP`,
    found,
    'the query alone',
  );
}

function toRow(work: string, { ours, scan }: Record<'ours' | 'scan', Summary>, peer: string): Row {
  return {
    work,
    ours: toSpread(ours),
    peer: `${peer} ${toSpread(scan)}`,
    ratio: ours.median / scan.median,
    numbers: { median: ours.median, p99: ours.p99, peerMedian: scan.median, peerP99: scan.p99 },
  };
}
