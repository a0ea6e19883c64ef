// One home with the real CLI in it that is killed and started again, while the scripted model outlives it. What really
// happened is read off the disk, the evidence and the machine's processes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, AuditRow, Event, PermissionMode } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import { Scenario } from '../../src/rehearsal/scenarios/scenario.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { until } from '../sandbox/support.ts';
import { countOpenTurns, databaseOf } from './rows.ts';
import { type Ready, type ServerProcess, spawnServer } from './server-process.ts';
import type { ServerOrder } from './server-program.ts';

export interface ClaudeHomeOptions {
  /** Only where one is looked for: it takes its share of the machine. */
  spare?: boolean;
  /** A concurrent test must hand over its own. */
  onTestFinished?: typeof onTestFinished;
}

export async function createClaudeHome(rules: unknown[], options: ClaudeHomeOptions = {}) {
  const { spare = false } = options;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-claude-crash-')));
  const { home, user, work } = {
    home: join(folder, 'home'),
    user: join(folder, 'user'),
    work: join(folder, 'work'),
  };
  for (const each of [home, user, work]) mkdirSync(each, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `claude: { spare: ${spare} }\n`);
  const scenario = Scenario.parse({ description: 'for a kill', rules });
  const rehearsal = await serveRehearsal({ scenarios: [scenario] });
  const order: ServerOrder = {
    home,
    ledger: join(folder, 'ledger'),
    asks: true,
    real: { url: rehearsal.url, user, work },
  };
  const processes: ServerProcess[] = [];
  (options.onTestFinished ?? onTestFinished)(async () => {
    for (const server of processes) await server.kill('SIGKILL');
    await rehearsal.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = (killAt?: ServerOrder['killAt']) => {
    const server = spawnServer({ ...order, ...(killAt && { killAt }) });
    processes.push(server);
    return server;
  };
  return {
    home,
    work,
    user,
    ledger: order.ledger,
    rehearsal,
    start,
    countOpenTurns: () => countOpenTurns(databaseOf(home)),
    /** How often a command has written its line. */
    effects: (name = 'effects.txt') => readLines(join(work, name)),
  };
}

export type ClaudeHome = Awaited<ReturnType<typeof createClaudeHome>>;

function readLines(path: string): number {
  try {
    return readFileSync(path, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

/** A session with the real CLI that has been sent a message. */
export async function begin({ client }: Ready, text: string, mode: PermissionMode = 'default') {
  const { id } = await client.sessions.create({ engine: 'claude', mode });
  const { turnId } = await client.sessions.send(id, text);
  return { id, turnId };
}

/** Waits for the one that is asked. */
export async function pendingIn({ client }: Ready, sessionId?: string): Promise<Approval> {
  let found: Approval | undefined;
  await until(async () => {
    [found] = (await client.approvals.list({ state: 'pending', ...(sessionId && { sessionId }) })).items;
    return found !== undefined;
  }, 20_000);
  if (!found) throw new Error('nobody was asked');
  return found;
}

export interface Told {
  events: Event[];
  outcome: string;
  code: string | undefined;
  text: string;
}

/** Reads the whole log up to the end of a turn. */
export async function readTurn(
  { client }: Ready,
  { id, turnId }: { id: string; turnId: string },
): Promise<Told> {
  const events: Event[] = [];
  for await (const event of client.sessions.events(id, { signal: AbortSignal.timeout(20_000) })) {
    events.push(event);
    if (event.type !== 'turn_end' || event.data.turnId !== turnId) continue;
    const text = events.flatMap((each) => (each.type === 'text_delta' ? each.data.text : [])).join('');
    return { events, text, outcome: event.data.outcome, code: event.data.error?.code };
  }
  throw new Error(`the turn did not end: ${events.map(({ type }) => type).join(' ')}`);
}

export async function retry(ready: Ready, id: string): Promise<Told> {
  const { turnId } = await ready.client.sessions.retry(id);
  return readTurn(ready, { id, turnId });
}

export async function auditOf({ client }: Pick<Ready, 'client'>): Promise<AuditRow[]> {
  return (await client.audit.list({ limit: 1_000 })).items;
}

export interface Machine {
  pid: number;
  /** Clock ticks since the machine started: with the number, a process of its own. */
  startedAt: string;
  command: string;
}

/** All processes that this one has started, and theirs. */
export function familyOf(pid: number): Machine[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (toMachine(name) ?? []) : []));
  const children = (parent: number): (Machine & { parent: number })[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...children(each.pid)]);
  return children(pid);
}

/** Those that still live. */
export function livingOf(family: readonly Machine[]): Machine[] {
  return family.filter(({ pid, startedAt }) => toMachine(String(pid))?.startedAt === startedAt);
}

function toMachine(name: string): (Machine & { parent: number }) | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The command's name, in parentheses, may hold spaces.
    const [state = '', parent = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid: Number(name), parent: Number(parent), startedAt: rest[17] ?? '', command };
  } catch {
    return undefined;
  }
}
