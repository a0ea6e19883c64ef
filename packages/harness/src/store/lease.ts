// Who may write to this home: one row with an epoch that only grows. An owner that lost it notices before its next
// write, because every transaction asks first.
import { readFileSync } from 'node:fs';
import { ToolyardError } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../core/lib/ports.ts';
import { prepare } from './sqlite/prepare.ts';
import { inTransaction, type Writer } from './sqlite/sqlite.ts';
import type { OwnerTable, Tables } from './sqlite/tables.ts';

export interface Owner {
  pid: number;
  host: string;
  instance: string;
}

export interface Lease {
  /** When the owner before was last seen alive. */
  readonly lastAliveAt: number | undefined;
  /** In a transaction: throws `owner_lost` for ever once another owner has taken over. */
  verify(): Promise<void>;
  /** In a transaction: shows that this owner lives. */
  heartbeat(): Promise<void>;
  /** In a transaction: lets the next owner in at once. */
  release(): Promise<void>;
}

export const heartbeatIntervalMs = 5_000;
const staleAfterMs = 15_000;

// Not a migration: the row is asked for before the schema is touched, and its shape is the same for every version.
const ownerTable = `CREATE TABLE IF NOT EXISTS owner (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  held INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  instance TEXT NOT NULL,
  since TEXT NOT NULL,
  beat_at INTEGER NOT NULL
) STRICT`;

export interface LeaseOptions {
  owner: Owner;
  clock: Clock;
  busyTimeoutMs: number;
  /** Called once, when another owner has taken over. */
  onLost: (error: ToolyardError) => void;
}

/** Takes ownership or throws `home_in_use`. Of two that race, one wins. */
export async function acquireLease(writer: Writer, options: LeaseOptions): Promise<Lease> {
  const { owner, clock, busyTimeoutMs } = options;
  const taken = await inTransaction(writer, busyTimeoutMs, async () => {
    writer.exec(ownerTable);
    const last = await readOwner(writer.db);
    refuseWhileHeld(last, owner, clock);
    const now = clock.now();
    const row = {
      id: 1,
      epoch: (last?.epoch ?? 0) + 1,
      held: 1,
      ...owner,
      since: new Date(now).toISOString(),
      beat_at: now,
    };
    await writer.db
      .insertInto('owner')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    return { epoch: row.epoch, lastAliveAt: last?.beat_at };
  });
  return createLease(writer.db, taken, options);
}

export async function readOwner(db: Kysely<Tables>): Promise<Selectable<OwnerTable> | undefined> {
  return await db.selectFrom('owner').selectAll().executeTakeFirst();
}

/** Throws `home_in_use` when `last` is the row of an owner that lives. */
export function refuseWhileHeld(last: Selectable<OwnerTable> | undefined, owner: Owner, clock: Clock): void {
  if (!last?.held || !isAlive(last, owner, clock.now())) return;
  const { pid, host, since } = last;
  throw new ToolyardError(
    'home_in_use',
    `Another Toolyard (process ${pid} on ${host}, since ${since}) already uses this home. Use that one, or stop it first.`,
    { data: { pid, host, since } },
  );
}

function createLease(
  db: Kysely<Tables>,
  { epoch, lastAliveAt }: { epoch: number; lastAliveAt: number | undefined },
  { clock, onLost }: LeaseOptions,
): Lease {
  // Asked by every transaction, so compiled once.
  const readEpoch = prepare(db, () => db.selectFrom('owner').select('epoch'));
  let lost: ToolyardError | undefined;
  return {
    lastAliveAt,
    async verify() {
      if (lost) throw lost;
      const [row] = (await readEpoch({})).rows;
      if (row?.epoch === epoch) return;
      lost = ownerLost(await readOwner(db));
      onLost(lost);
      throw lost;
    },
    async heartbeat() {
      await db.updateTable('owner').set({ beat_at: clock.now() }).execute();
    },
    async release() {
      await db.updateTable('owner').set({ held: 0, beat_at: clock.now() }).execute();
    },
  };
}

function ownerLost(row: Selectable<OwnerTable> | undefined): ToolyardError {
  return new ToolyardError(
    'owner_lost',
    'Another Toolyard took over this home while this one was paused, so this one may no longer write. Restart it.',
    row ? { data: { pid: row.pid, host: row.host, since: row.since } } : {},
  );
}

function isAlive(last: Selectable<OwnerTable>, owner: Owner, now: number): boolean {
  // Our own number on a row we did not write is that of a dead process whose number we got.
  const isOurs = last.host === owner.host && last.pid === owner.pid;
  return !isOurs && isOwnerAlive(last, owner, now);
}

/** As seen from a machine. */
export function isOwnerAlive(
  last: Selectable<OwnerTable>,
  { host }: Pick<Owner, 'host'>,
  now: number,
): boolean {
  // A beat from the future is of a clock that was wrong, not a sign of life.
  const fresh = Math.abs(now - last.beat_at) < staleAfterMs;
  return fresh && (last.host !== host || processExists(last.pid));
}

function processExists(pid: number): boolean {
  if (isZombie(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH');
  }
}

/** Dead, and not yet taken note of by its parent: a killed server whose init is slow, or whose container has none. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
