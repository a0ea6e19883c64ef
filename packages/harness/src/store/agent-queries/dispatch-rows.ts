// How a dispatch lies in its row: what was said apart from what stays when its session is deleted.
import { type DispatchRow, isLive, type Worktree } from '@toolyard/sdk';
import type { Insertable, Kysely, Selectable } from 'kysely';
import type { DispatchTable } from '../sqlite/agent-tables.ts';
import { fromJson, toJson, toOptionalJson } from '../sqlite/columns.ts';
import type { Tables } from '../sqlite/tables.ts';

export type StoredDispatch = Selectable<DispatchTable>;

/** What was said to it and by it. */
export type DispatchTexts = Pick<DispatchRow, 'prompt' | 'report' | 'saidBefore' | 'result' | 'error'>;

type Body = Pick<
  DispatchRow,
  | ('role' | 'parentAgentId' | 'call' | 'depth' | 'engine' | 'model' | 'budgetUsd')
  | ('maxDepth' | 'maxChildren' | 'ceiling' | 'bounds' | 'sharesBudget' | 'keepWorktree')
>;

export function toDispatch(row: StoredDispatch): DispatchRow {
  const name = `dispatch ${row.id}`;
  return {
    id: row.id,
    drafted: row.drafted === 1,
    taskSlug: row.task_slug,
    sessionId: row.session_id,
    turnId: row.turn_id,
    runId: row.run_id,
    ...(row.parent_session_id !== null && { parentSessionId: row.parent_session_id }),
    rootSessionId: row.root_session_id,
    status: row.status,
    draftedAt: row.drafted_at,
    startedAt: row.started_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    costUsd: row.unpriced ? null : row.spent_usd,
    ...(row.tokens > 0 && { tokens: row.tokens }),
    ...(row.worktree !== null && { worktree: fromJson<Worktree>(row.worktree, name) }),
    ...fromJson<DispatchTexts>(row.said, name),
    ...fromJson<Body>(row.body, name),
  };
}

export function toRow(dispatch: DispatchRow): Insertable<DispatchTable> {
  const { prompt, report, saidBefore, result, error } = dispatch;
  return {
    id: dispatch.id,
    drafted: Number(dispatch.drafted),
    task_slug: dispatch.taskSlug,
    session_id: dispatch.sessionId,
    turn_id: dispatch.turnId,
    run_id: dispatch.runId,
    parent_session_id: dispatch.parentSessionId ?? null,
    root_session_id: dispatch.rootSessionId,
    status: dispatch.status,
    unresolved: toUnresolved(dispatch),
    drafted_at: dispatch.draftedAt,
    started_at: dispatch.startedAt,
    ended_at: dispatch.endedAt ?? null,
    spent_usd: dispatch.costUsd ?? 0,
    unpriced: Number(dispatch.costUsd === null),
    tokens: dispatch.tokens ?? 0,
    worktree: toOptionalJson(dispatch.worktree),
    said: toJson({ prompt, report, saidBefore, result, error } satisfies Record<
      keyof DispatchTexts,
      unknown
    >),
    body: toJson(toBody(dispatch)),
  };
}

function toBody(dispatch: DispatchRow): Record<keyof Body, unknown> {
  const { role, parentAgentId, call, depth, engine, model, budgetUsd } = dispatch;
  const { maxDepth, maxChildren, ceiling, bounds, sharesBudget, keepWorktree } = dispatch;
  return {
    role,
    parentAgentId,
    call,
    depth,
    engine,
    model,
    budgetUsd,
    maxDepth,
    maxChildren,
    ceiling,
    bounds,
    sharesBudget,
    keepWorktree,
  };
}

/** It lives, or has ended with questions or issues, or not well. */
export function toUnresolved({ status, result }: Pick<DispatchRow, 'status' | 'result'>): number {
  const isOpen = result !== undefined && result.questions.length + result.issues.length > 0;
  return Number(isLive({ status }) || status !== 'done' || isOpen);
}

const emptied: DispatchTexts = {
  prompt: '',
  result: { summary: 'Deleted with its session.', changes: [], issues: [], questions: [], reported: false },
};

/** A task keeps who worked on it, when and at what cost; not what was said. */
export async function emptyDispatches(db: Kysely<Tables>, sessionId: string): Promise<void> {
  await db
    .updateTable('dispatches')
    .set((eb) => ({
      said: toJson(emptied),
      unresolved: eb.case().when('status', '=', 'done').then(0).else(1).end(),
    }))
    .where('session_id', '=', sessionId)
    .execute();
}
