// The audit's rows: append-only, each bound to the one before by its hash. Nothing here updates or deletes one.
import type { AuditEntry, AuditFilter, AuditRow, AuditSearch, StoreReads, StoreWrites } from '@toolyard/sdk';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { auditRoot, toAuditHash } from '../../core/audit/audit-chain.ts';
import { fromJson, toJson } from '../sqlite/columns.ts';
import { prepare } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

export function createAuditReads(db: Db): Pick<StoreReads, 'auditRows' | 'findAudit' | 'auditHead'> {
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
      return rows.map(toAuditRow);
    },
    findAudit: (search) => findAudit(db, search),
    async auditHead() {
      const [head] = (await selectHead({})).rows;
      return head ?? { rows: 0, hash: auditRoot };
    },
  };
}

function toAuditRow(row: Selectable<Tables['audit']>): AuditRow {
  return {
    ...fromJson<AuditEntry>(row.body, `audit row ${row.seq}`),
    seq: row.seq,
    previousHash: row.previous_hash,
    hash: row.hash,
  };
}

async function findAudit(db: Db, search: AuditSearch): ReturnType<StoreReads['findAudit']> {
  const { order, after, limit, scan, filter } = search;
  const window = db
    .selectFrom('audit')
    .selectAll()
    .$if(after > 0, (query) => query.where('seq', order === 'asc' ? '>' : '<', after))
    .orderBy('seq', order)
    .limit(scan);
  const found = await db
    .selectFrom(window.as('window'))
    .selectAll()
    .where(fits(filter))
    .orderBy('seq', order)
    .limit(limit)
    .execute();
  const rows = found.map(toAuditRow);
  const end =
    rows.length === limit
      ? rows.at(-1)?.seq
      : (
          await window
            .clearSelect()
            .select('seq')
            .offset(scan - 1)
            .limit(1)
            .execute()
        )[0]?.seq;
  return { rows, ...(end !== undefined && { next: end }) };
}

/** What cannot be read fits: it is reported, never passed over. */
function fits({ q, actor, ...equal }: AuditFilter) {
  const at = (path: string) => sql`json_extract(body, ${`$.${path}`})`;
  const conditions = [...Object.entries(equal), ['actor.kind', actor] as const];
  const tests = conditions.flatMap(([path, value]) =>
    value === undefined ? [] : [sql`${at(path)} = ${value}`],
  );
  if (q !== undefined) {
    const word = q.toLowerCase();
    tests.push(sql`EXISTS (SELECT 1 FROM json_tree(body) WHERE instr(lower(atom), ${word}) > 0)`);
  }
  return sql<boolean>`json_valid(body) = 0 OR (${tests.length > 0 ? sql.join(tests, sql` AND `) : sql`1`})`;
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
