// The session and the row of an agent that is drafted, before they are stored.
import type { Config, DispatchRow, DraftAgent, Role, Session, Worktree } from '@toolyard/sdk';
import type { Account } from '../budget/account.ts';
import { toBounds } from '../budget/role-bounds.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import type { SessionRecords } from '../session-records/session-records.ts';
import { toTitle } from '../session-records/titles.ts';
import { toExcerpt } from './agent-outcome.ts';
import { toChildCeiling, toChildMode } from './clamp.ts';

/** Nobody goes deeper or wider, whatever is configured. */
const hardMaxDepth = 16;
const hardMaxChildren = 1_000;

export type NewSession = Omit<Session, 'lastSeq'>;

export interface Planned extends Worktree {
  /** The directory in it that stands for the agent's. */
  cwd: string;
}

/** As its role says; what that leaves open, as whoever drafts it. */
export async function composeChild(
  records: Pick<SessionRecords, 'compose'>,
  {
    wanted,
    role,
    parent,
    cwd,
  }: { wanted: DraftAgent; role: Role; parent?: Session | undefined; cwd?: string | undefined },
): Promise<NewSession> {
  const like = parent && parent.engine !== directEngine ? parent : undefined;
  const engine = role.engine ?? like?.engine;
  const model = role.model ?? (engine === like?.engine ? like?.model : undefined);
  const settled = {
    role: role.name,
    title: toTitle(wanted.prompt) || role.name,
    ...(engine && { engine }),
    ...(model && { model }),
    ...(parent && { mode: toChildMode(parent, role) }),
    ...(cwd && { cwd }),
  };
  return records.compose(settled, { parent });
}

export function withLineage(session: NewSession, agentId: string, parent: Session | undefined): NewSession {
  if (!parent) return { ...session, agentId };
  const { rootSessionId, agentId: parentAgentId, depth = 0 } = parent;
  return { ...session, rootSessionId, agentId, depth: depth + 1, ...(parentAgentId && { parentAgentId }) };
}

/** Who drafts: a session, by one of its calls. */
export interface Drafter {
  session: Session;
  turnId: string;
  toolCallId?: string;
  /** For the session: nobody need be asked about a limit who can raise it, and no turn waits there for an answer. */
  isPerson?: boolean;
  role: Role;
  config: Config;
  signal: AbortSignal;
}

interface DraftedUnder {
  parent: DispatchRow | undefined;
  account: Account;
}

export interface RowParts {
  wanted: DraftAgent;
  role: Role;
  session: NewSession;
  turnId: string;
  at: string;
  planned: Planned | undefined;
  /** What the run of an agent without parents may spend. */
  runUsd?: number | undefined;
  /** Unless a person drafts it themselves. */
  by?: (Pick<Drafter, 'session' | 'role' | 'turnId' | 'toolCallId'> & DraftedUnder) | undefined;
}

export function toDispatch(parts: RowParts): DispatchRow {
  const { wanted, role, session, turnId, at, planned, by } = parts;
  const { id: sessionId, rootSessionId, engine, model, taskSlug = '', agentId = '', depth = 0 } = session;
  const { limits = {} } = role;
  const bounds = toBounds(role, by?.account.run.row);
  return {
    id: agentId,
    role: role.name,
    taskSlug,
    status: 'queued',
    sessionId,
    rootSessionId,
    depth,
    ...(session.parentAgentId && { parentAgentId: session.parentAgentId }),
    ...(by && { parentSessionId: by.session.id }),
    ...(by?.toolCallId && { call: { turnId: by.turnId, toolCallId: by.toolCallId } }),
    runId: by?.account.run.row.id ?? turnId,
    engine,
    model,
    prompt: toExcerpt(wanted.prompt),
    draftedAt: at,
    startedAt: at,
    costUsd: 0,
    ...toBudget(parts),
    drafted: true,
    turnId,
    ceiling: by ? toChildCeiling(by.role, by.session, by.parent) : [],
    maxDepth: Math.min(by?.parent?.maxDepth ?? hardMaxDepth, depth + (limits.maxDepth ?? hardMaxDepth)),
    maxChildren: limits.maxChildren ?? hardMaxChildren,
    ...(bounds && { bounds }),
    ...(planned && { worktree: toWorktree(planned), keepWorktree: wanted.isolation === 'worktree-keep' }),
  };
}

/** At most what is left to whoever drafts; of an agent without parents, what its run may spend. */
function toBudget({ wanted, role, by, runUsd }: RowParts): Pick<DispatchRow, 'budgetUsd' | 'sharesBudget'> {
  const left = by ? Math.max(0, by.account.leftUsd()) : (runUsd ?? Number.POSITIVE_INFINITY);
  const given = [wanted.budgetUsd ?? [], role.limits?.budgetUsd ?? []].flat();
  const budget = Math.min(left, ...given);
  return {
    budgetUsd: Number.isFinite(budget) ? budget : null,
    ...(given.length === 0 && { sharesBudget: true }),
  };
}

function toWorktree({ branch, path, base }: Planned): Worktree {
  return { branch, path, base };
}
