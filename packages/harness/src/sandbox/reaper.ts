// Ends what an earlier server of this home left running. A process is only touched when its number and its start time
// are those of the record, or when it carries the record's mark: numbers are used again.
import type { Logger } from '../core/lib/ports.ts';
import type { ProcessTable } from './process-table.ts';
import { endAll, findTree } from './process-tree.ts';
import type { ProcessRecord, ProcessRecords } from './records.ts';

export interface ReaperDeps {
  records: ProcessRecords;
  table: ProcessTable;
  logger: Logger;
}

/** To be called by the home's owner before it starts anything. A record that cannot be settled is kept for later. */
export async function reapLeftovers({ records, table, logger }: ReaperDeps): Promise<void> {
  for (const record of records.list()) {
    const { id, purpose, command } = record;
    try {
      const found = await findLeftovers(record, table);
      await endAll(() => findLeftovers(record, table));
      records.remove(id);
      if (found.length > 0) logger.warn('ended what a dead server left running', { purpose, command, found });
    } catch (cause) {
      logger.error('what a dead server left running could not be ended', { purpose, command, cause });
    }
  }
}

async function findLeftovers({ id, pid, startedAt }: ProcessRecord, table: ProcessTable): Promise<number[]> {
  const row = pid === undefined ? undefined : await table.find(pid);
  const leader = row && row.startedAt === startedAt ? row.pid : undefined;
  return findTree(table, { leader, id });
}
