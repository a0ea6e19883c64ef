// The audit's rows: append-only, each bound to the one before by its hash. Nothing here updates or deletes one.
import type { AuditEntry, AuditRow, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Insertable, Kysely } from 'kysely';
import { auditRoot, toAuditHash } from '../core/audit-chain.ts';
import { fromJson, toJson } from './columns.ts';
import { prepare } from './prepare.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;

export function createAuditReads(db: Db): Pick<StoreReads, 'auditRows' | 'auditHead'> {
  const selectHead = prepare(db, () => db.selectFrom('audit_head').select(['rows', 'hash']));
  return {
    async auditRows({ after, limit }) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(
        (row): AuditRow => ({
          ...fromJson<AuditEntry>(row.body, `audit row ${row.seq}`),
          seq: row.seq,
          previousHash: row.previous_hash,
          hash: row.hash,
        }),
      );
    },
    async auditHead() {
      const [head] = (await selectHead({})).rows;
      return head ?? { rows: 0, hash: auditRoot };
    },
  };
}

export function createAuditWrites(db: Db): Pick<StoreWrites, 'appendAudit'> {
  const { auditHead } = createAuditReads(db);
  const insert = prepare(db, (row: Insertable<Tables['audit']>) => db.insertInto('audit').values(row));
  const putHead = prepare(db, (head: Insertable<Tables['audit_head']>) =>
    db
      .insertInto('audit_head')
      .values(head)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(head)),
  );
  return {
    async appendAudit(entry) {
      const { rows, hash: previous_hash } = await auditHead();
      const seq = rows + 1;
      const hash = toAuditHash(previous_hash, seq, entry);
      await insert({ seq, body: toJson(entry), previous_hash, hash });
      await putHead({ id: 1, rows: seq, hash });
    },
  };
}
