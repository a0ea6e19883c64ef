// How the audit proves itself: each row's hash covers the row and the hash before it.
import type { AuditEntry, AuditRow, AuditVerdict, StoreReads } from '@toolyard/sdk';
import { toHash } from '../lib/canonical-json.ts';

/** What the first row is bound to. */
export const auditRoot = '0'.repeat(64);

export function toAuditHash(previousHash: string, seq: number, entry: AuditEntry): string {
  return toHash([previousHash, seq, entry]);
}

/** Walks the whole chain. `brokenAt` is the first number that is missing, changed or cut off. */
export async function verifyAudit(reads: Pick<StoreReads, 'auditRows' | 'auditHead'>): Promise<AuditVerdict> {
  const head = await reads.auditHead();
  let last = { seq: 0, hash: auditRoot };
  for (;;) {
    const page = await reads.auditRows({ after: last.seq, limit: 1_000 });
    for (const row of page) {
      if (!follows(row, last)) return { ok: false, rows: head.rows, brokenAt: last.seq + 1 };
      last = row;
    }
    if (page.length > 0) continue;
    if (last.seq === head.rows && last.hash === head.hash) return { ok: true, rows: head.rows };
    return { ok: false, rows: head.rows, brokenAt: Math.min(last.seq + 1, head.rows) };
  }
}

function follows(
  { seq, previousHash, hash, ...entry }: AuditRow,
  last: { seq: number; hash: string },
): boolean {
  return seq === last.seq + 1 && previousHash === last.hash && hash === toAuditHash(previousHash, seq, entry);
}
