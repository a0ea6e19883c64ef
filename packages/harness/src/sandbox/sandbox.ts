// The room's entry point: opened by the home's owner, it ends what an earlier server left, starts processes, and ends them.
import { realpath } from 'node:fs/promises';
import { type OpenShell, type OwnedProcess, type SpawnProcess, ToolyardError } from '@toolyard/sdk';
import type { Logger } from '../core/lib/ports.ts';
import { createShells } from './confined-shell.ts';
import { probeSandbox, type SandboxReport } from './probe.ts';
import { createProcessTable, type ProcessTable } from './process-table.ts';
import { endAll, findTree } from './process-tree.ts';
import { createRecords, type ProcessRecord, type ProcessRecords } from './records.ts';
import { createSpawnProcess } from './spawn.ts';

export interface SandboxOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Where confinement fails, processes run without it only if this says so. */
  mayRunUnconfined?: () => boolean;
  /** For tests: another finding than the real one. */
  probe?: () => Promise<SandboxReport>;
}

export interface Sandbox {
  spawn: SpawnProcess;
  openShell: OpenShell;
  /** Does a process see what its `view` says? */
  hasViews(): Promise<boolean>;
  /** Refuses new processes and ends those there are; resolves when they are gone. */
  close(): Promise<void>;
}

/** Only for who owns the home: leftovers of its records are ended before it resolves. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { home, env, logger, mayRunUnconfined = () => false } = options;
  const probe = options.probe ?? (() => probeSandbox(env));
  const path = await realpath(home);
  const records = createRecords(path);
  const table = createProcessTable();
  await reapLeftovers({ records, table, logger });
  const findBubblewrap = async () => {
    const report = await probe();
    return report.kind === 'namespace' ? report.bubblewrap : undefined;
  };
  const shells = await createShells({ home: path, env, table, logger, findBubblewrap });
  const running = new Set<OwnedProcess>();
  const spawnProcess = createSpawnProcess({
    home: path,
    env,
    logger,
    records,
    table,
    running,
    mayRunUnconfined,
    probe,
  });
  let closing = false;
  const starting = new Set<Promise<OwnedProcess>>();
  return {
    async spawn(spec) {
      if (closing)
        throw new ToolyardError('shutting_down', 'The server is stopping and starts no new processes.');
      const start = spawnProcess(spec);
      starting.add(start);
      return start.finally(() => starting.delete(start));
    },
    openShell: shells.open,
    hasViews: async () => (await probe()).kind === 'namespace',
    async close() {
      closing = true;
      await Promise.allSettled(starting);
      const ended = await Promise.allSettled([...running].map((owned) => owned.kill()));
      for (const { reason } of ended.filter((each) => each.status === 'rejected'))
        logger.error('a process outlived the server', { reason });
      await shells.close();
    },
  };
}

interface ReaperDeps {
  records: ProcessRecords;
  table: ProcessTable;
  logger: Logger;
}

/**
 * Ends what an earlier server of this home left running. A process is only touched when its number and its start time
 * are those of the record, or when it carries the record's mark: numbers are used again. A record that cannot be settled
 * is kept for later.
 */
async function reapLeftovers({ records, table, logger }: ReaperDeps): Promise<void> {
  for (const record of records.list()) {
    const { id, purpose, command } = record;
    try {
      const found = await findLeftovers(record, table);
      await endAll(() => findLeftovers(record, table));
      records.remove(id);
      if (found.length > 0)
        logger.warn('ended leftover processes of a dead server', { purpose, command, found });
    } catch (cause) {
      logger.error('could not end leftover processes of a dead server', { purpose, command, cause });
    }
  }
}

async function findLeftovers({ id, pid, startedAt }: ProcessRecord, table: ProcessTable): Promise<number[]> {
  const row = pid === undefined ? undefined : await table.find(pid);
  const leader = row && row.startedAt === startedAt ? row.pid : undefined;
  return findTree(table, { leader, id });
}
