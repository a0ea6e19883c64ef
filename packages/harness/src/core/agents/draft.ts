// Drafting an agent: everything is checked first, then one commit stores the session, its first message, the dispatch and
// the task, and counts them. Durable before anybody hears the id.
import { relative, resolve } from 'node:path';
import {
  type DispatchRow,
  type DraftAgent,
  isLive,
  type Role,
  type RunLimits,
  type Session,
  type Store,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import type { ReadFilesOf } from '../access/resolved-agent.ts';
import { appendAgentUpdate } from '../agent-records/agent-records.ts';
import { countChildren } from '../agent-records/agent-tree.ts';
import type { Questions } from '../approvals/questions.ts';
import type { Account } from '../budget/account.ts';
import type { Ledger } from '../budget/ledger.ts';
import { findFullBound } from '../budget/role-bounds.ts';
import { findReached, isLimit, type Reached, toLimitError } from '../budget/run-limits.ts';
import { minutesOf } from '../budget/run-row.ts';
import type { NewId } from '../lib/ids.ts';
import { isInside } from '../lib/is-inside.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Roles } from '../roles/roles.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import type { SessionRecords } from '../session-records/session-records.ts';
import { toTitle } from '../session-records/titles.ts';
import { nextSlug, toSlug } from '../tasks/task-slugs.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { findWorkspace, requireDirectory } from '../workspace/workspaces.ts';
import { toChildCwd } from './clamp.ts';
import {
  composeChild,
  type Drafter,
  type Planned,
  type RowParts,
  toDispatch,
  withLineage,
} from './draft-row.ts';
import type { OpenOutsideRun } from './outside-run.ts';
import { askToRaise } from './spend-gate.ts';

const minuteMs = 60_000;

export interface DraftDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  onCrashPoint: OnCrashPoint;
  defaultCwd: string;
  roles: Pick<Roles, 'findIn'>;
  /** What counts where a session works, or where one without a parent would. */
  readFiles: ReadFilesOf;
  records: Pick<SessionRecords, 'compose'>;
  tasks: Pick<Tasks, 'ensure' | 'requireOpen'>;
  questions: Pick<Questions, 'askOnce' | 'acknowledgeAnswers'>;
  ledger: Ledger;
  worktrees: { plan(cwd: string, agent: { agentId: string; taskSlug: string }): Promise<Planned> };
  accountOf(sessionId: string): Account | undefined;
  openOutsideRun: OpenOutsideRun;
  /** What a run of a root of this role may use there. */
  limitsIn(workspace: string, role: Role): Promise<RunLimits>;
  /** Lets it begin. */
  wake(sessionId: string): void;
}

export type Draft = ReturnType<typeof createDraft>;

export function createDraft(deps: DraftDeps) {
  const { store, log, clock, newId, ledger } = deps;
  const now = () => new Date(clock.now()).toISOString();

  /** Its turn's, or that of a call from outside. */
  async function openAccount(by: Drafter): Promise<Account & { isOwn: boolean }> {
    const open = by.session.engine === directEngine ? undefined : deps.accountOf(by.session.id);
    return open ? { ...open, isOwn: false } : { ...(await deps.openOutsideRun(by)), isOwn: true };
  }

  async function prepare(wanted: DraftAgent, by?: Drafter & { account: Account }): Promise<RowParts> {
    const cwd = by ? toChildCwd(wanted.cwd, by) : requireDirectory(wanted.cwd ?? deps.defaultCwd);
    const around = await deps.readFiles(by ? by.session : { workspace: findWorkspace(cwd) });
    const role = await deps.roles.findIn(wanted.role, around);
    const agentId = newId('agt');
    const composed = await composeChild(deps.records, { wanted, role, parent: by?.session, cwd });
    const taskSlug = await findTask(store, wanted, by);
    const isIsolated = (wanted.isolation ?? 'none') !== 'none';
    const planned = isIsolated ? await deps.worktrees.plan(cwd, { agentId, taskSlug }) : undefined;
    const place = planned && toPlace(planned, composed);
    const session = { ...withLineage(composed, agentId, by?.session), taskSlug, ...place };
    const parent = by?.session.agentId ? await store.reads.dispatch(by.session.agentId) : undefined;
    const runUsd = by ? undefined : (await deps.limitsIn(findWorkspace(cwd), role)).budgetUsd;
    const parts = { wanted, role, session, turnId: newId('trn'), at: now(), planned, runUsd };
    return { ...parts, by: by && { ...by, parent } };
  }

  async function storeAll(parts: RowParts, drafter: Drafter | undefined): Promise<DispatchRow> {
    const { wanted, session, turnId, at, by } = parts;
    const { prompt: content } = wanted;
    const row = toDispatch(parts);
    await log.commit(session.id, async (tx, append) => {
      if (drafter && by) await requireRoom(tx, drafter, by.account, row);
      if (wanted.taskSlug) await deps.tasks.requireOpen(tx, row.taskSlug);
      else await deps.tasks.ensure(tx, row.taskSlug, toTitle(content));
      if (by) await ledger.ensure(tx, by.account.run.row);
      await tx.insertSession(session);
      const [message] = await append({ type: 'user_message', data: { content, turnId } });
      await tx.insertTurn({
        id: turnId,
        sessionId: session.id,
        originTurnId: turnId,
        state: 'queued',
        content,
        seq: message?.seq ?? 1,
        costUsd: 0,
        createdAt: at,
      });
      await tx.insertDispatch(row);
      await tx.updateTask(row.taskSlug, { updatedAt: at });
      await appendAgentUpdate(tx, row.id, at);
    });
    return row;
  }

  /** Inside the commit: what others have drafted at the same moment counts. */
  async function requireRoom(
    tx: StoreWrites,
    { session, turnId, signal }: Drafter,
    account: Account,
    { depth }: DispatchRow,
  ): Promise<void> {
    // A turn that was told to stop or has ended and an agent that was killed draft nothing more.
    const turn = await tx.turn(turnId);
    if (turn?.endedAt || signal.aborted) throw new ToolyardError('interrupted', 'The turn has ended.');
    const parent = session.agentId ? await tx.dispatch(session.agentId) : undefined;
    if (parent && !isLive(parent)) throw new ToolyardError('agent_ended', 'This agent has ended.');
    const { row, limits } = account.run;
    const ofRun = { runId: row.id, drafted: true };
    const reached = findReached({
      limits,
      depth,
      maxDepth: Math.min(limits.maxDepth, parent?.maxDepth ?? limits.maxDepth),
      maxChildren: Math.min(limits.maxChildren, parent?.maxChildren ?? limits.maxChildren),
      liveChildren: await countChildren(tx, session, row.id),
      agents: (await tx.run(row.id))?.agents ?? 0,
      lastMinute: await tx.countDispatches({ ...ofRun, since: toIso(clock.now() - minuteMs) }),
      minutes: minutesOf(row, account.run.waitingSince ?? clock.now()),
    });
    if (reached) throw toLimitError({ ...reached, ...(isOfRole(reached, limits) && { isFixed: true }) });
    const full = await findFullBound(tx, session, clock.now());
    if (full) throw toLimitError(full);
    if (account.leftUsd() <= 0) throw toLimitError(account.tightest());
  }

  /** A person was asked about the limit, and has raised it. */
  async function isRaised(thrown: unknown, by: Drafter, account: Account): Promise<boolean> {
    if (!isLimit(thrown) || by.isPerson || by.signal.aborted) return false;
    // Only this room makes such errors, with these data.
    return askToRaise(deps.questions, thrown.data as unknown as Reached, { ...by, account });
  }

  /** Stores it, as often as a person raises the limit that is in the way. */
  async function draftWithin(wanted: DraftAgent, by: Drafter, account: Account): Promise<DispatchRow> {
    for (;;) {
      try {
        return await storeAll(await prepare(wanted, { ...by, account }), by);
      } catch (thrown) {
        if (!(await isRaised(thrown, by, account))) throw thrown;
      }
    }
  }

  /** Throws `unknown_role`, `task_not_found`, `task_closed`, `agent_limit` … Without `by`, a person drafts it. */
  return async (wanted: DraftAgent, by?: Drafter): Promise<DispatchRow> => {
    const account = by && (await openAccount(by));
    try {
      const row =
        by && account
          ? await draftWithin(wanted, by, account)
          : await storeAll(await prepare(wanted), undefined);
      deps.onCrashPoint('agent.drafted');
      deps.wake(row.sessionId);
      return row;
    } finally {
      if (account?.isOwn) account.close();
    }
  };
}

/** The same places in the worktree as in the repository. A workspace around the repository is not in it. */
function toPlace(
  { cwd, path }: Planned,
  original: Pick<Session, 'cwd' | 'workspace'>,
): Pick<Session, 'cwd' | 'workspace'> {
  const workspace = resolve(cwd, relative(original.cwd, original.workspace));
  return { cwd, workspace: isInside(workspace, path) ? workspace : path };
}

/** Depth and width may be smaller for an agent of a role than for its run. */
function isOfRole({ limit, max }: Reached, limits: RunLimits): boolean {
  return (limit === 'maxDepth' || limit === 'maxChildren') && max < limits[limit];
}

/** The one that is named, that of whoever drafts, or one made of the prompt. */
async function findTask({ reads }: Store, { taskSlug, prompt }: DraftAgent, by?: Drafter): Promise<string> {
  const own = taskSlug ?? by?.session.taskSlug;
  return own ?? nextSlug(toSlug(prompt), async (slug) => (await reads.task(slug)) !== undefined);
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
