// Rows of what people are asked: approvals and questions. Both lie as the protocol's own object with what is looked up
// beside it.
import type { Approval, AskedFilter, Question, StoreReads, StoreWrites } from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import { fromJson, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type Filter = AskedFilter<string> & { toolCallId?: string | undefined };

export function createApprovalReads(
  db: Db,
): Pick<StoreReads, 'approval' | 'approvals' | 'approvalOf' | 'question' | 'questions' | 'countPending'> {
  const countApprovals = countIn(db, 'approvals');
  const countQuestions = countIn(db, 'questions');
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
    async countPending(sessionId) {
      return { approvals: await countApprovals(sessionId), questions: await countQuestions(sessionId) };
    },
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

/** Without a look at what is asked, which may be large. */
function countIn(db: Db, table: 'approvals' | 'questions'): (sessionId: string) => Promise<number> {
  const count = prepare(db, ({ sessionId }: { sessionId: string }) =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('session_id', '=', sessionId)
      .where('state', '=', 'pending'),
  );
  return async (sessionId) => (await count({ sessionId })).rows[0]?.count ?? 0;
}

/** A form for each set of conditions, and there are few. */
function selectIn<T>(db: Db, table: 'approvals' | 'questions'): (filter: Filter) => Promise<T[]> {
  const select = prepare(db, (filter: Filter) => toQuery(db, table, filter));
  return async (filter) => {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const { toolCallId } = filter;
    const column = toolCallId === undefined ? {} : { toolCallId: toColumn(toolCallId) };
    const { rows } = await select({ limit: filter.limit, ...given, ...column });
    return rows.map((row) => fromJson<T>(row.body, row.id));
  };
}

function toQuery(db: Db, table: 'approvals' | 'questions', filter: Filter) {
  const { limit, state, sessionId, turnId, toolCallId, after } = filter;
  let query = db.selectFrom(table).select(['id', 'body']).orderBy('id', 'desc').limit(toLimit(limit));
  if (state !== undefined) query = query.where('state', '=', state);
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
  if (turnId !== undefined) query = query.where('turn_id', '=', turnId);
  // Only approvals have this column, and only they are looked for by it.
  if (toolCallId !== undefined) query = query.where(sql<boolean>`call_id = ${toolCallId}`);
  if (after !== undefined) query = query.where('id', '<', after);
  return query;
}

function toBody<T>(row: { id: string; body: string } | undefined): T | undefined {
  return row && fromJson<T>(row.body, row.id);
}
