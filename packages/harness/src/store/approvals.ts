// Rows of what people are asked: approvals and questions. Both lie as the protocol's own object with what is looked up
// beside it.
import type { Approval, AskedFilter, Question, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Kysely } from 'kysely';
import { fromJson, toColumn, toJson } from './columns.ts';
import { atMost, prepare } from './prepare.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;

export function createApprovalReads(
  db: Db,
): Pick<StoreReads, 'approval' | 'approvals' | 'approvalOf' | 'question' | 'questions'> {
  const approvals = () => db.selectFrom('approvals').select(['id', 'body']);
  return {
    async approval(id) {
      return toBody<Approval>(await approvals().where('id', '=', id).executeTakeFirst());
    },
    async approvalOf(turnId, toolCallId) {
      const row = await approvals()
        .where('turn_id', '=', turnId)
        .where('call_id', '=', toColumn(toolCallId))
        .executeTakeFirst();
      return toBody<Approval>(row);
    },
    approvals: selectIn<Approval>(db, 'approvals'),
    async question(id) {
      const row = await db
        .selectFrom('questions')
        .select(['id', 'body'])
        .where('id', '=', id)
        .executeTakeFirst();
      return toBody<Question>(row);
    },
    questions: selectIn<Question>(db, 'questions'),
  };
}

export function createApprovalWrites(db: Db): Pick<StoreWrites, 'putApproval' | 'putQuestion'> {
  return {
    async putApproval(approval) {
      const { id, sessionId: session_id, turnId: turn_id, toolCallId, state } = approval;
      const row = { id, session_id, turn_id, call_id: toColumn(toolCallId), state, body: toJson(approval) };
      await db
        .insertInto('approvals')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async putQuestion(question) {
      const { id, sessionId: session_id, turnId: turn_id, state } = question;
      const row = { id, session_id, turn_id, state, body: toJson(question) };
      await db
        .insertInto('questions')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
  };
}

/** A form for each set of conditions, and there are few. */
function selectIn<T>(
  db: Db,
  table: 'approvals' | 'questions',
): (filter: AskedFilter<string>) => Promise<T[]> {
  const select = prepare(db, (filter: AskedFilter<string>) => toQuery(db, table, filter));
  return async (filter) => {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const { rows } = await select({ limit: filter.limit, ...given });
    return rows.map((row) => fromJson<T>(row.body, row.id));
  };
}

function toQuery(db: Db, table: 'approvals' | 'questions', filter: AskedFilter<string>) {
  const { limit, state, sessionId, turnId, after } = filter;
  let query = db.selectFrom(table).select(['id', 'body']).orderBy('id', 'desc').limit(atMost(limit));
  if (state !== undefined) query = query.where('state', '=', state);
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
  if (turnId !== undefined) query = query.where('turn_id', '=', turnId);
  if (after !== undefined) query = query.where('id', '<', after);
  return query;
}

function toBody<T>(row: { id: string; body: string } | undefined): T | undefined {
  return row && fromJson<T>(row.body, row.id);
}
