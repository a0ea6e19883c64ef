// One home that is killed again and again: its clients' memory, its processes, and what is left in the end.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause, type Session } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { History, Memory, Remains, Rows } from './history.ts';
import { createRandom, type Random } from './random.ts';
import { createReader, type Reader, readLog } from './reader.ts';
import { countOpenTurns, databaseOf, readKilledRows, readLedger, readRows } from './rows.ts';
import { type Ready, type ServerProcess, spawnServer } from './server-process.ts';
import type { ServerOrder } from './server-program.ts';
import { createWriter, type Writer } from './writer.ts';

const writerCount = 8;
const settleTimeoutMs = 30_000;

export interface CrashHome {
  home: string;
  random: Random;
  memory: Memory;
  /** Starts a server; it is ended with the test. */
  spawn(order?: Partial<ServerOrder>): ServerProcess;
  /** All writers and readers at once: until so many messages are sent and `signal` aborts, or the server dies. */
  load(server: Ready, messages: number, signal: AbortSignal): Promise<void>;
  /** Waits until something more was acknowledged than up to now, or for five seconds. */
  firstAck(): Promise<void>;
  /** Keeps the rows as the kill just now left them. */
  lookAtKill(): Promise<void>;
  /** Waits until no turn is open, but not for ever. */
  settle(timeoutMs?: number): Promise<void>;
  /** Retries the last turn of every session whose last turn did not complete; the new turns' ids. */
  retryAll(server: Ready): Promise<string[]>;
  /** Lets every reader catch up, stops the server in good order and gives the whole history. */
  finish(server: ServerProcess): Promise<History>;
}

export interface CrashHomeOptions {
  seed: number;
  maxSessions?: number;
  /** A concurrent test must hand over its own. */
  onTestFinished?: typeof onTestFinished;
}

export async function createCrashHome(options: CrashHomeOptions): Promise<CrashHome> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-crash-'));
  const order = { home: join(folder, 'home'), ledger: join(folder, 'ledger') };
  const random = createRandom(options.seed);
  const memory: Memory = { acks: [], readers: [], surprises: [] };
  const kills: Rows[] = [];
  const processes = new Set<ServerProcess>();
  const crowd = createCrowd(random, memory, options.maxSessions ?? 6);
  (options.onTestFinished ?? onTestFinished)(async () => {
    for (const running of processes) await running.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  return {
    home: order.home,
    random,
    memory,
    load: crowd.load,
    spawn(extra = {}) {
      const server = spawnServer({ ...order, ...extra });
      processes.add(server);
      void server.exited.then(() => processes.delete(server));
      return server;
    },
    async firstAck() {
      const before = memory.acks.length;
      for (let waited = 0; waited < 5_000 && memory.acks.length === before; waited += 1) await pause(1);
    },
    lookAtKill: async () => void kills.push(await readKilledRows(order.home)),
    settle: (timeoutMs = settleTimeoutMs) => settle(databaseOf(order.home), timeoutMs),
    retryAll: (server) => retryAll(server, databaseOf(order.home), memory),
    async finish(server) {
      const ready = await server.ready;
      const { sessions, log } = await readAll(ready, crowd.readers);
      await server.kill('SIGTERM');
      const rows = readRows(databaseOf(order.home));
      return { ...memory, kills, sessions, log, ...rows, ledger: await readLedger(order.ledger) };
    },
  };
}

/** Eight writers, and a reader for every session from the moment it is there. */
function createCrowd(random: Random, memory: Memory, maxSessions: number) {
  const sessions: string[] = [];
  const readers: Reader[] = [];
  let startReading: (reader: Reader) => void = () => {};
  const onSession = (id: string) => {
    const reader = createReader(id, random.fork(), memory);
    sessions.push(id);
    readers.push(reader);
    startReading(reader);
  };
  const writers: Writer[] = Array.from({ length: writerCount }, (_, index) =>
    createWriter({ name: `w${index}`, random: random.fork(), memory, sessions, maxSessions, onSession }),
  );
  return {
    readers,
    async load(server: Ready, messages: number, signal: AbortSignal): Promise<void> {
      const reading: Promise<void>[] = [];
      startReading = (reader) => void reading.push(reader.read(server, { signal }));
      for (const reader of readers) startReading(reader);
      await Promise.all(writers.map((writer) => writer.play(server, messages)));
      await Promise.all(reading);
    },
  };
}

async function settle(database: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (countOpenTurns(database) > 0 && performance.now() < deadline) await pause(20);
}

async function retryAll({ client }: Ready, database: string, memory: Memory): Promise<string[]> {
  const latest = new Map(readRows(database).turns.map((turn) => [turn.sessionId, turn]));
  const stopped = [...latest.values()].filter(({ state }) => state === 'failed' || state === 'interrupted');
  const turnIds: string[] = [];
  for (const { sessionId } of stopped) {
    const { turnId } = await client.sessions.retry(sessionId);
    memory.acks.push({ kind: 'retry', sessionId, turnId });
    turnIds.push(turnId);
  }
  await settle(database, settleTimeoutMs);
  return turnIds;
}

async function readAll(
  server: Ready,
  readers: readonly Reader[],
): Promise<Pick<Remains, 'sessions' | 'log'>> {
  const sessions = await listSessions(server);
  const signal = AbortSignal.timeout(60_000);
  await Promise.all(
    readers.map((reader) => {
      const last = sessions.find(({ id }) => id === reader.sessionId)?.lastSeq ?? 0;
      return reader.read(server, { signal, last });
    }),
  );
  const log: Remains['log'] = new Map();
  for (const { id, lastSeq } of sessions) log.set(id, await readLog(server, id, lastSeq, signal));
  return { sessions: sessions.map(({ id, status }) => ({ id, status })), log };
}

async function listSessions({ client }: Ready): Promise<Session[]> {
  const all: Session[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await client.sessions.list({ limit: 100, ...(after && { after }) });
    all.push(...items);
    if (!next) return all;
    after = next;
  }
}
