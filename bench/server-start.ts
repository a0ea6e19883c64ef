// From starting the process to the first answer of `/api/health`: in a new home, and in one with 10,000 events.
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Benchmark, Row } from './benchmark.ts';
import { fillHome } from './fill-home.ts';
import { interleave, timed } from './interleave.ts';
import { type Server, start, startServer } from './processes.ts';
import { type Summary, toSpread } from './samples.ts';

const targetMs = 500;
const events = 10_000;

export const serverStart: Benchmark = {
  name: 'server-start',
  title: 'server start',
  async run({ rounds, folder }) {
    const full = await mkdtemp(join(folder, 'full-'));
    await fillHome(full, { sessions: 100, events });
    await using running = await startServer(await mkdtemp(join(folder, 'running-')));
    const { fresh, existing, command } = await interleave(
      {
        fresh: { run: async () => startOnce(await mkdtemp(join(folder, 'fresh-'))) },
        existing: { run: () => startOnce(full) },
        command: { run: () => timed(() => askOnce(running)) },
      },
      { rounds, perRound: 1, warmUp: 1 },
    );
    return {
      rows: [
        toRow('server start, new home', fresh),
        toRow(`server start, home with ${events.toLocaleString('en-US')} events`, existing),
        {
          work: 'a command of a running server: `sessions list`',
          ours: toSpread(command),
          numbers: { median: command.median, p99: command.p99 },
        },
      ],
      notes: [],
    };
  },
};

async function startOnce(home: string): Promise<number> {
  const startedAt = performance.now();
  await using server = await startServer(home);
  await askHealth(server.url);
  return performance.now() - startedAt;
}

/** From the start of a command's process to its end. */
async function askOnce({ home }: Server): Promise<void> {
  const child = start(['sessions', 'list'], { TOOLYARD_HOME: home });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`sessions list ended with ${code}`);
}

function askHealth(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/health`, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`health answered ${response.statusCode}`));
      });
    }).once('error', reject);
  });
}

function toRow(work: string, found: Summary): Row {
  return {
    work,
    ours: toSpread(found),
    target: `< ${targetMs} ms`,
    met: found.median < targetMs,
    numbers: { median: found.median, p99: found.p99 },
  };
}
