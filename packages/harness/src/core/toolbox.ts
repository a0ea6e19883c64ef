// The one door: the only place where a host tool runs, for every engine, every MCP client and every surface. In order:
// find, role, parse, hooks, policy, a person if asked, run within a deadline, bound, audit, events.
import {
  type Actor,
  type Approval,
  type Config,
  type Progress,
  type Role,
  type Session,
  type Store,
  type ToolCall,
  type ToolCallRow,
  type ToolContext,
  type ToolInfo,
  type ToolOutcome,
  ToolyardError,
} from '@toolyard/sdk';
import type { Approvals } from './approvals.ts';
import {
  createPreparation,
  type Holder,
  type PreparationDeps,
  type Ready,
  type Refused,
  toJudged,
} from './call-preparation.ts';
import { type CallRecordDeps, createCallRecord } from './call-record.ts';
import { toHash } from './canonical.ts';
import { runAfter } from './hooks.ts';
import type { NewId } from './ids.ts';
import { type Judge, type Judgement, toApproval } from './judge.ts';
import { toPreview } from './preview.ts';
import type { RegisteredTool } from './tool-registry.ts';
import { outcomeUnknown, type RunTool, toFailed } from './tool-run.ts';

export interface ToolboxDeps extends PreparationDeps, CallRecordDeps {
  store: Store;
  approvals: Approvals;
  judge: Judge;
  runTool: RunTool;
  newId: NewId;
}

/** Who calls, and within what. */
export interface CallScope {
  session: Session;
  role: Role;
  /** In force in the session's workspace. */
  config: Config;
  turnId: string;
  signal: AbortSignal;
  /** Whether the turn still goes on. Its end settles every call that is open then. */
  isOpen(): boolean;
  /** Who calls, when it is not the session's own agent. */
  actor?: Actor;
  /** Hears progress beside the log. */
  onProgress?: (report: Progress) => void;
  /** Hears that a person is asked, and then how that ended. */
  onApproval?: (approval: Approval) => void;
}

export interface Toolbox {
  /** What a role may call. */
  list(holder: Holder): readonly ToolInfo[];
  /** Runs one call to its recorded end. Rejects only when the record itself cannot be kept. */
  call(call: ToolCall, scope: CallScope): Promise<ToolOutcome>;
  /** Goes on with a call that a restart interrupted: waits for its person, runs it once, or says it is unknown. */
  resume(row: ToolCallRow, scope: CallScope): Promise<ToolOutcome>;
}

export function createToolbox(deps: ToolboxDeps): Toolbox {
  const { store, log, approvals, judge, runTool, hooks, clock, newId, logger, reach } = deps;
  const { list, find, prepare } = createPreparation(deps);
  const record = createCallRecord(deps);
  const now = () => new Date(clock.now()).toISOString();

  async function call({ id, name, input }: ToolCall, scope: CallScope): Promise<ToolOutcome> {
    const { session, turnId } = scope;
    const asked = {
      turnId,
      callId: id,
      sessionId: session.id,
      tool: name,
      state: 'asked',
      askedAt: now(),
    } as const;
    const ready = await prepare({ id, name, input }, scope);
    if ('refused' in ready) return refuse({ ...asked, input }, scope, ready);
    const row = { ...asked, input: ready.input };
    const judged = await judge(store.reads, toJudged(id, ready), scope);
    if (judged.verdict === 'allow') return run(row, ready, scope, judged);
    if (judged.verdict === 'ask') return ask(row, ready, judged, scope);
    return refuse(row, scope, { refused: `The call was not run: ${judged.rule}.`, rule: judged.rule });
  }

  function refuse(row: ToolCallRow, scope: CallScope, { refused, rule }: Refused): Promise<ToolOutcome> {
    return record.end(row, scope, { state: 'failed', result: toFailed(toCall(row), refused), denied: rule });
  }

  /** Asks a person, durably, and goes on with what they say. */
  async function ask(
    row: ToolCallRow,
    ready: Ready,
    judged: Judgement,
    scope: CallScope,
  ): Promise<ToolOutcome> {
    const shown = await toPreview(ready.registered.tool, ready.input, toContext(row, scope));
    if ('failed' in shown) {
      return refuse(row, scope, { refused: `The call was not run: ${shown.failed}.`, rule: 'no preview' });
    }
    try {
      const stamps = { id: newId('apr'), createdAt: now(), ...approvals.terms(scope.config), ...shown };
      const approval = toApproval(toJudged(row.callId, ready), judged, scope, stamps);
      await record.ask(row, approval, scope.config);
      scope.onApproval?.(approval);
      return await afterAnswer(row, approval, scope);
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'too_many_pending')) throw thrown;
      return refuse(row, scope, {
        refused: `The call was not run: ${thrown.message}`,
        rule: 'toolApproval.maxPending',
      });
    }
  }

  /** Waits for the person, checks that what was approved is what would run, and runs it. */
  async function afterAnswer(row: ToolCallRow, approval: Approval, scope: CallScope): Promise<ToolOutcome> {
    const settled = await approvals.settled(approval, scope.signal);
    scope.onApproval?.(settled);
    const fail = (text: string, denied?: string) => {
      const result = toFailed(toCall(row), text);
      return record.end(row, scope, { state: 'failed', result, ...(denied && { denied }) });
    };
    if (settled.state !== 'allowed') return fail(sayWhyNot(settled));
    const registered = find(row.tool, scope);
    if (!registered || !(await isAsShown(registered, row, settled, scope))) {
      const text = 'The call was not run: something has changed since it was approved. Call it again.';
      return fail(text, 'no longer what was approved');
    }
    return run({ ...row, state: 'allowed' }, { registered, input: row.input }, scope);
  }

  /** Is what would run now still what the person saw? */
  async function isAsShown(
    { schemaHash, tool }: RegisteredTool,
    row: ToolCallRow,
    approved: Approval,
    scope: CallScope,
  ): Promise<boolean> {
    if (schemaHash !== approved.schemaHash || toHash(row.input) !== approved.inputHash) return false;
    const now = await toPreview(tool, row.input, toContext(row, scope));
    return !('failed' in now) && now.preview === approved.preview;
  }

  /** Runs what was decided, between the record of its start and the record of its end. */
  async function run(
    row: ToolCallRow,
    ready: Ready,
    scope: CallScope,
    judged?: Judgement,
  ): Promise<ToolOutcome> {
    const { session, config, turnId, signal } = scope;
    const { tool, info } = ready.registered;
    const started = await record.start(row, session, judged && { ...judged, effect: info.effect });
    const progress = (report: Progress) => {
      scope.onProgress?.(report);
      void log.emit(session.id, { type: 'tool_progress', data: { toolCallId: row.callId, ...report } });
    };
    const within = { config, sessionId: session.id, turnId, cwd: session.cwd, signal, progress };
    const ran = await runTool(tool, ready.input, toCall(row), within);
    reach('tool.ran');
    const hooked = {
      sessionId: session.id,
      turnId,
      toolCallId: row.callId,
      tool: row.tool,
      input: row.input,
    };
    const result = await runAfter(hooks, hooked, ran, logger);
    return record.end(started, scope, { state: ran.outcome ?? (ran.isError ? 'failed' : 'done'), result });
  }

  async function resume(row: ToolCallRow, scope: CallScope): Promise<ToolOutcome> {
    if (row.result) return row.result;
    const approval = await store.reads.approvalOf(row.turnId, row.callId);
    if (row.state !== 'started' && approval) return afterAnswer(row, approval, scope);
    const unknown = outcomeUnknown(toCall(row), 'the server stopped while it was under way');
    return record.end(row, scope, { state: 'unknown', result: unknown });
  }

  return { list, call, resume };
}

/** For looking only: nothing here reports progress. */
function toContext(row: ToolCallRow, { session, turnId, signal }: CallScope): ToolContext {
  return { sessionId: session.id, turnId, toolCallId: row.callId, cwd: session.cwd, signal, progress() {} };
}

function toCall({ callId, tool, input }: ToolCallRow): ToolCall {
  return { id: callId, name: tool, input };
}

/** What the model hears. Only a person's own no is called that. */
function sayWhyNot({ state, reason }: Approval): string {
  if (state === 'denied') return `The person did not allow this call${reason ? `: ${reason}` : '.'}`;
  if (state === 'expired')
    return 'The call was not run: nobody could answer in time and the request has expired.';
  return 'The call was not run: the request was cancelled.';
}
