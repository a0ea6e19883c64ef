// Turn rows: one per attempt to answer a message.
import {
  type Content,
  type Failure,
  type StoreReads,
  type StoreWrites,
  ToolyardError,
  type Turn,
  type TurnHead,
} from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import { fromColumn, fromJson, toColumn, toJson, toOptionalJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables, TurnTable } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type TurnRow = Selectable<TurnTable>;

export function createTurnReads(
  db: Db,
): Pick<StoreReads, 'turn' | 'turnByKey' | 'turns' | 'latestTurn' | 'nextTurn' | 'openTurns' | 'turnsIn'> {
  const select = () => db.selectFrom('turns').selectAll();
  const selectHeads = () => db.selectFrom('turns').select(headColumns);
  const next = prepare(db, ({ sessionId }: { sessionId: string }) =>
    select()
      .where('session_id', '=', sessionId)
      .where('state', '=', 'queued')
      .orderBy('position')
      .limit(toLimit(1)),
  );
  const open = prepare(db, ({ sessionId }: { sessionId: string }) =>
    selectHeads()
      .where('session_id', '=', sessionId)
      .where('state', 'in', ['queued', 'running'])
      .orderBy('position'),
  );
  return {
    async turn(id) {
      return toTurn(await select().where('id', '=', id).executeTakeFirst());
    },
    async turnByKey(sessionId, idempotencyKey) {
      const row = await select()
        .where('session_id', '=', sessionId)
        .where('idempotency_key', '=', toColumn(idempotencyKey))
        .executeTakeFirst();
      return toTurn(row);
    },
    async latestTurn(sessionId) {
      const row = await select()
        .where('session_id', '=', sessionId)
        .where('seq', '>', 0)
        .where('state', '!=', 'withdrawn')
        .orderBy('position', 'desc')
        .limit(toLimit(1))
        .executeTakeFirst();
      return toTurn(row);
    },
    async nextTurn(sessionId) {
      return toTurn((await next({ sessionId })).rows[0]);
    },
    async turns(sessionId) {
      const rows = await selectHeads().where('session_id', '=', sessionId).orderBy('position').execute();
      return rows.map(toHead);
    },
    async openTurns(sessionId) {
      return (await open({ sessionId })).rows.map(toHead);
    },
    async turnsIn(states) {
      if (states.length === 0) return [];
      const rows = await selectHeads().where('state', 'in', states).orderBy('position').execute();
      return rows.map(toHead);
    },
  };
}

export function createTurnWrites(db: Db): Pick<StoreWrites, 'insertTurn' | 'updateTurn'> {
  const insert = prepare(db, (row: ReturnType<typeof toRow>) => db.insertInto('turns').values(row));
  const update = prepare(db, ({ id, ...columns }: { id: string } & ReturnType<typeof toColumns>) =>
    db.updateTable('turns').set(columns).where('id', '=', id),
  );
  return {
    async insertTurn(turn) {
      await insert(toRow(turn));
    },
    async updateTurn(id, patch) {
      const columns = toColumns(patch);
      if (Object.keys(columns).length === 0) return;
      const { numAffectedRows } = await update({ ...columns, id });
      if (numAffectedRows === 0n) throw new ToolyardError('not_found', `There is no turn ${id}.`);
    },
  };
}

const headColumns = [
  ...(['id', 'session_id', 'origin_turn_id', 'retry_of', 'state', 'seq', 'idempotency_key'] as const),
  ...(['error', 'cost_usd', 'created_at', 'started_at', 'ended_at'] as const),
];

function toTurn(row: TurnRow | undefined): Turn | undefined {
  return row && { ...toHead(row), content: fromJson<Content>(row.content, `turn ${row.id}`) };
}

function toHead(row: Pick<TurnRow, (typeof headColumns)[number]>): TurnHead {
  const name = `turn ${row.id}`;
  return {
    id: row.id,
    sessionId: row.session_id,
    originTurnId: row.origin_turn_id,
    ...(row.retry_of !== null && { retryOf: row.retry_of }),
    state: row.state,
    seq: row.seq,
    ...(row.idempotency_key !== null && { idempotencyKey: fromColumn(row.idempotency_key) }),
    ...(row.error !== null && { error: fromJson<Failure>(row.error, name) }),
    costUsd: row.cost_usd,
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

function toRow(turn: Turn): Omit<TurnRow, 'position'> {
  return {
    id: turn.id,
    session_id: turn.sessionId,
    origin_turn_id: turn.originTurnId,
    retry_of: turn.retryOf ?? null,
    state: turn.state,
    content: toJson(turn.content),
    seq: turn.seq,
    idempotency_key: turn.idempotencyKey === undefined ? null : toColumn(turn.idempotencyKey),
    error: toOptionalJson(turn.error),
    cost_usd: turn.costUsd,
    created_at: turn.createdAt,
    started_at: turn.startedAt ?? null,
    ended_at: turn.endedAt ?? null,
  };
}

function toColumns(patch: Partial<Omit<Turn, 'id' | 'sessionId'>>): Partial<Omit<TurnRow, 'id'>> {
  const { originTurnId, retryOf, state, content, seq, idempotencyKey, error, costUsd } = patch;
  const { createdAt, startedAt, endedAt } = patch;
  return {
    ...(originTurnId !== undefined && { origin_turn_id: originTurnId }),
    ...(retryOf !== undefined && { retry_of: retryOf }),
    ...(state !== undefined && { state }),
    ...(content !== undefined && { content: toJson(content) }),
    ...(seq !== undefined && { seq }),
    ...(idempotencyKey !== undefined && { idempotency_key: toColumn(idempotencyKey) }),
    ...(error !== undefined && { error: toJson(error) }),
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(endedAt !== undefined && { ended_at: endedAt }),
  };
}
