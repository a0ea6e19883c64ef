// 200 sessions streaming at once: how late an event reaches its reader, and how much memory the server takes. Three
// processes: the scripted model, the real server, and this one with a reader per session.
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, pause } from '@toolyard/sdk';
import type { Benchmark, Findings } from './benchmark.ts';
import { type Arrival, type EventReader, openReader } from './event-reader.ts';
import { type Server, startModel, startServer } from './processes.ts';
import { type Summary, summarize, toMs } from './samples.ts';

const sessions = 200;
const targetP99Ms = 50;
const targetMb = 300;
const rssIntervalMs = 250;
/** Messages are sent over one second, as people would, and not in one tick. */
const sendIntervalMs = 1_000 / sessions;

export const streaming: Benchmark = {
  name: 'streaming',
  title: `${sessions} sessions streaming at once (15 s)`,
  async run({ folder }) {
    await using model = await startModel();
    const home = await mkdtemp(join(folder, 'home-'));
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    await using server = await startServer(home, env);
    await using memory = watchMemory(server.pid);
    const readers = await streamAll(server);
    return toFindings(readers, memory.peakMb());
  },
};

async function streamAll(server: Server): Promise<EventReader[]> {
  const client = createClient({ baseUrl: server.url, token: server.token });
  const readers: EventReader[] = [];
  const ids: string[] = [];
  for (let opened = 0; opened < sessions; opened++) {
    const { id } = await client.sessions.create({ engine: 'native' });
    ids.push(id);
    readers.push(await openReader(server, id));
  }
  const sent = ids.map(async (id, index) => {
    await pause(index * sendIntervalMs);
    await client.sessions.send(id, 'stream something');
  });
  await Promise.all([...sent, ...readers.map(({ ended }) => ended)]);
  return readers;
}

function watchMemory(pid: number): AsyncDisposable & { peakMb(): number } {
  let peakMb = 0;
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      peakMb = Math.max(peakMb, await readRssMb(pid));
      await pause(rssIntervalMs, stop.signal);
    }
  })();
  return {
    peakMb: () => peakMb,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

/** Not a number where the system does not tell. */
async function readRssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

function toFindings(readers: readonly EventReader[], peakMb: number): Findings {
  const all = readers.flatMap(({ arrivals }) => arrivals);
  const together = whileAllStream(readers);
  if (together.length === 0) throw new Error(`the ${sessions} sessions never streamed at once`);
  const delays = summarize(together.map(({ delayMs }) => delayMs));
  const allDelays = summarize(all.map(({ delayMs }) => delayMs));
  return {
    rows: [
      {
        work: `${sessions} sessions streaming: event delay`,
        ours: `p50 ${toMs(delays.median)}, p99 ${toMs(delays.p99)}`,
        target: `p99 < ${targetP99Ms} ms`,
        met: delays.p99 < targetP99Ms,
        numbers: {
          median: delays.median,
          p99: delays.p99,
          events: delays.count,
          p99WithStart: allDelays.p99,
        },
      },
      {
        work: `${sessions} sessions streaming: server memory`,
        ours: `${peakMb.toFixed(0)} MB at its peak`,
        target: `< ${targetMb} MB`,
        ...(Number.isNaN(peakMb) ? {} : { met: peakMb < targetMb }),
        numbers: { peakRssMb: peakMb },
      },
    ],
    notes: [toNote(delays, together, allDelays)],
  };
}

/** What arrived between the last session's first words and the first session's end. */
function whileAllStream(readers: readonly EventReader[]): Arrival[] {
  const spans = readers.map(({ arrivals }) => {
    const words = arrivals.filter(({ type }) => type === 'text_delta');
    return { first: words[0]?.arrivedAt ?? Number.NaN, last: words.at(-1)?.arrivedAt ?? Number.NaN };
  });
  const from = Math.max(...spans.map(({ first }) => first));
  const until = Math.min(...spans.map(({ last }) => last));
  return readers.flatMap(({ arrivals }) =>
    arrivals.filter(({ arrivedAt }) => arrivedAt >= from && arrivedAt <= until),
  );
}

function toNote(delays: Summary, together: readonly Arrival[], all: Summary): string {
  const times = together.map(({ arrivedAt }) => arrivedAt).sort((a, b) => a - b);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  const rate = Math.round(delays.count / seconds);
  return `While all ${sessions} streamed, ${rate} events a second reached their readers (${delays.count} in ${seconds.toFixed(1)} s); with the start and the end the p99 is ${toMs(all.p99)}.`;
}
