// One session's events to 1, 10 and 200 readers at once, over Server-Sent Events and over WebSockets: how late an event
// reaches them. Three processes: the scripted model, the real server, and this one with the readers.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@toolyard/sdk';
import type { Benchmark, Row } from './benchmark.ts';
import { type EventReader, openReader } from './event-reader.ts';
import { type Server, startModel, startServer } from './processes.ts';
import { summarize, toMs } from './samples.ts';
import { openSocketReader } from './socket-reader.ts';

const counts = [1, 10, 200];
/** How often each arm streams; the arms take turns. */
const turns = 2;

const carriers = [
  { name: 'SSE', open: openReader },
  { name: 'WebSocket', open: openSocketReader },
];

interface Arm {
  carrier: (typeof carriers)[number];
  readers: number;
  delays: number[];
}

export const readers: Benchmark = {
  name: 'readers',
  title: `events to ${counts.join(', ')} readers over each carrier (1 min)`,
  async run({ folder }) {
    await using model = await startModel();
    const home = await mkdtemp(join(folder, 'home-'));
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    await using server = await startServer(home, env);
    const arms: Arm[] = counts.flatMap((readers) =>
      carriers.map((carrier) => ({ carrier, readers, delays: [] })),
    );
    for (let turn = 0; turn < turns; turn++) {
      for (const arm of turn % 2 ? arms.toReversed() : arms) await stream(server, arm);
    }
    const note =
      'An event waits up to 12 ms for its neighbours before it is written; that is in every number.';
    return { rows: arms.map(toRow), notes: [note] };
  },
};

async function stream(server: Server, { carrier, readers: count, delays }: Arm): Promise<void> {
  const client = createClient({ baseUrl: server.url, token: server.token });
  const { id } = await client.sessions.create({ engine: 'native' });
  const opened: EventReader[] = [];
  for (let reader = 0; reader < count; reader++) opened.push(await carrier.open(server, id));
  await client.sessions.send(id, 'a brief stream');
  await Promise.all(opened.map(({ ended }) => ended));
  const words = opened.flatMap(({ arrivals }) => arrivals.filter(({ type }) => type === 'text_delta'));
  delays.push(...words.map(({ delayMs }) => delayMs));
}

function toRow({ carrier, readers, delays }: Arm): Row {
  const { median, p99, count } = summarize(delays);
  return {
    work: `events to ${readers} ${readers === 1 ? 'reader' : 'readers'} over ${carrier.name}: delay`,
    ours: `p50 ${toMs(median)}, p99 ${toMs(p99)}`,
    numbers: { median, p99, events: count },
  };
}
