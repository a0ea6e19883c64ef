// A command and everything it started: how it is found without a namespace, asked to end, and ended for certain.
import { type ProcessExit, pause, ToolyardError } from '@toolyard/sdk';
import type { Launched } from './launch.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** Told to every process that has no namespace of its own, and by it to all it starts. */
export const markName = 'TOOLYARD_PROCESS';

/** Something that was started and is owned as a whole. */
export interface ProcessTree {
  /** Asks each of its processes to end. */
  ask(): Promise<void>;
  /** Ends each of its processes. Resolves when none is left; rejects if one outlives this. */
  end(): Promise<void>;
}

export interface Started {
  launched: Launched;
  tree: ProcessTree;
  /** What the exit means for the command. */
  toExit(exit: ProcessExit): ProcessExit;
}

export interface TreeMark {
  /** The process at the root, while its number is certain to be its own. */
  leader?: number | undefined;
  /** What stands in its environment under `markName`. */
  id: string;
}

/**
 * The leader, its process group, whoever carries the mark, and all their descendants. Where the platform does not
 * show environments, a process that left both the group and its parent is not found.
 */
export async function findTree(table: ProcessTable, { leader, id }: TreeMark): Promise<number[]> {
  const rows = await table.list();
  const marked = await Promise.all(
    rows.map(async ({ pid }) => table.hasInEnvironment?.(pid, `${markName}=${id}`) ?? false),
  );
  const found = new Set<number>();
  rows.forEach((row, index) => {
    if (marked[index] || row.pid === leader || row.groupId === leader) found.add(row.pid);
  });
  addDescendants(found, rows);
  // Never this process or the first of all, whatever a table says.
  return [...found].filter((pid) => pid > 1 && pid !== process.pid);
}

/** Adds the children of those in `found`, their children, and so on. */
export function addDescendants(found: Set<number>, rows: readonly ProcessRow[]): void {
  let before = -1;
  while (before < found.size) {
    before = found.size;
    for (const { pid, parentPid } of rows) if (found.has(parentPid)) found.add(pid);
  }
}

const exitTimeoutMs = 5_000;

/** One that starts a program in the moment of a look shows neither mark nor group. */
const emptyChecks = 2;

/** Kills what `find` finds until it finds nothing, and looks again: some may be born while others die. */
export async function endAll(find: () => Promise<number[]>): Promise<void> {
  const deadline = performance.now() + exitTimeoutMs;
  for (let quiet = 0; quiet < emptyChecks; await pause(20)) {
    const pids = await find();
    quiet = pids.length === 0 ? quiet + 1 : 0;
    if (quiet === emptyChecks) return;
    if (pids.length > 0 && performance.now() > deadline) throw toStillRunningError(pids);
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
  }
}

export function toStillRunningError(pids: readonly number[]): ToolyardError {
  const which = pids.length === 1 ? `Process ${pids[0]} is` : `Processes ${pids.join(', ')} are`;
  return new ToolyardError(
    'process_failed',
    `${which} still running ${exitTimeoutMs / 1000} s after SIGKILL.`,
    {
      data: { pids },
    },
  );
}

/** To somebody who may be gone already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or not ours to end: the next look tells which.
  }
}
