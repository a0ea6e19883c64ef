// Tool call rows: the life of each call, keyed by turn and call id. Names and ids here come from a model.
import type { StoreReads, StoreWrites, ToolCallRow, ToolOutcome } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import { fromColumn, fromJson, toColumn, toOptionalJson } from '../sqlite/columns.ts';
import { prepare } from '../sqlite/prepare.ts';
import type { Tables, ToolCallTable } from '../sqlite/tables.ts';

type Row = Selectable<ToolCallTable>;

export function createToolCallReads(db: Kysely<Tables>): Pick<StoreReads, 'toolCalls'> {
  const ofTurn = prepare(db, ({ turnId }: { turnId: string }) =>
    db.selectFrom('tool_calls').selectAll().where('turn_id', '=', turnId).orderBy('position'),
  );
  return {
    async toolCalls(turnId) {
      return (await ofTurn({ turnId })).rows.map(toToolCall);
    },
  };
}

export function createToolCallWrites(db: Kysely<Tables>): Pick<StoreWrites, 'putToolCall'> {
  const put = prepare(db, ({ turn_id, call_id, ...columns }: ReturnType<typeof toRow>) =>
    db
      .insertInto('tool_calls')
      .values({ turn_id, call_id, ...columns })
      // Not a replacement of the whole row: that would give it a new position and change the calls' order.
      .onConflict((conflict) => conflict.columns(['turn_id', 'call_id']).doUpdateSet(columns)),
  );
  return {
    async putToolCall(call) {
      await put(toRow(call));
    },
  };
}

function toToolCall(row: Row): ToolCallRow {
  const name = `a tool call of turn ${row.turn_id}`;
  return {
    turnId: row.turn_id,
    callId: fromColumn(row.call_id),
    sessionId: row.session_id,
    tool: fromColumn(row.tool),
    input: row.input === null ? undefined : fromJson<unknown>(row.input, name),
    state: row.state,
    ...(row.result !== null && { result: fromJson<ToolOutcome>(row.result, name) }),
    askedAt: row.asked_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

function toRow(call: ToolCallRow): Omit<Row, 'position'> {
  return {
    turn_id: call.turnId,
    call_id: toColumn(call.callId),
    session_id: call.sessionId,
    tool: toColumn(call.tool),
    input: toOptionalJson(call.input),
    state: call.state,
    result: toOptionalJson(call.result),
    asked_at: call.askedAt,
    started_at: call.startedAt ?? null,
    ended_at: call.endedAt ?? null,
  };
}
