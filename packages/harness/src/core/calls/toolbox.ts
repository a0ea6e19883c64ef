// The one door: the only place where a host tool runs, for every engine, every MCP client and every surface. In order:
// find, role, parse, hooks, policy, a person if asked, run within a deadline, bound, audit, events.
import type { Store, ToolCall, ToolCallRow, ToolInfo, ToolOutcome } from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import type { Questions } from '../approvals/questions.ts';
import type { NewId } from '../lib/ids.ts';
import { toAnswered } from './answered-call.ts';
import {
  type Allowed,
  createCallDecision,
  type Decided,
  type Denied,
  toCall,
  toRepeatKey,
} from './call-decision.ts';
import { createPreparation, type Holder, type PreparationDeps } from './call-preparation.ts';
import { type CallRecordDeps, createCallRecord } from './call-record.ts';
import type { CallScope } from './call-scope.ts';
import { runAfter } from './hooks.ts';
import type { Judge } from './judge.ts';
import type { Outputs } from './output.ts';
import { createProgress } from './progress.ts';
import { outcomeUnknown, type RunTool, toFailed } from './tool-run.ts';
import { isUndrafted } from './undrafted.ts';

export interface ToolboxDeps extends PreparationDeps, CallRecordDeps {
  store: Store;
  approvals: Approvals;
  judge: Judge;
  runTool: RunTool;
  outputs: Outputs;
  questions: Questions;
  newId: NewId;
}

export interface Toolbox {
  /** What a role may call. */
  list(holder: Holder): readonly ToolInfo[];
  /** Runs one call to its recorded end. Rejects only when the record itself cannot be kept. */
  call(call: ToolCall, scope: CallScope): Promise<ToolOutcome>;
  /** The first half of `call`, for engines that run a call only after they were told that they may. */
  decide(call: ToolCall, scope: CallScope): Promise<Decided>;
  /** The second half, for a host tool. */
  run(allowed: Allowed, scope: CallScope): Promise<ToolOutcome>;
  /** The second half, for an engine's own tool: its engine runs it, between these two. */
  start(allowed: Allowed, scope: CallScope): Promise<ToolCallRow | Denied>;
  end(started: ToolCallRow, outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Records a call that ended before anybody could judge it: the engine itself refused it. */
  refused(outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Records that a call came under the id of an earlier one, whose row stays as it is. */
  repeated(outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Does a call of it only wait, so that it can go on after a restart? */
  waits(tool: string): boolean;
  /** Goes on with a call that a restart interrupted: waits for its person, runs it once, or says it is unknown. */
  resume(row: ToolCallRow, scope: CallScope): Promise<ToolOutcome>;
}

export function createToolbox(deps: ToolboxDeps): Toolbox {
  const { store, log, runTool, outputs, hooks, clock, logger, reach } = deps;
  const preparation = createPreparation(deps);
  const record = createCallRecord(deps);
  const { decide, answered } = createCallDecision({ ...deps, preparation, record });

  async function call(asked: ToolCall, scope: CallScope): Promise<ToolOutcome> {
    const decided = await decide(asked, scope);
    const final = decided.kind === 'asking' ? await decided.answered() : decided;
    return final.kind === 'allowed' ? run(final, scope) : final.outcome;
  }

  async function start(allowed: Allowed, scope: CallScope): Promise<ToolCallRow | Denied> {
    const { row, ready, judged, repeats } = allowed;
    const decided = judged && { ...judged, effect: ready.target.effect };
    return (await record.start(row, scope.session, decided, repeats)) ?? denyLapsed(row, scope);
  }

  /** Its grant was revoked, or has expired, after it was judged by it. */
  async function denyLapsed(row: ToolCallRow, scope: CallScope): Promise<Denied> {
    const text =
      'The call was not run: the permission for it has just been taken back. Call it again to ask.';
    const end = {
      state: 'failed',
      result: toFailed(toCall(row), text),
      denied: 'its grant no longer holds',
    } as const;
    return { kind: 'denied', outcome: await record.end(row, scope, end) };
  }

  /** Runs what was decided, between the record of its start and the record of its end. */
  async function run(allowed: Allowed, scope: CallScope): Promise<ToolOutcome> {
    const { row, ready } = allowed;
    const { session, config, turnId, signal } = scope;
    const { tool } = ready.target;
    if (!tool) throw new Error(`${row.tool} is not a tool of the host.`);
    const started = await start(allowed, scope);
    if ('kind' in started) return started.outcome;
    const progress = createProgress((report) => {
      scope.onProgress?.(report);
      return log.emit(session.id, { type: 'tool_progress', data: { ...report, toolCallId: row.callId } });
    });
    const within = { config, sessionId: session.id, turnId, cwd: session.cwd, signal, progress };
    const { onBroken } = scope;
    const ran = await runTool(tool, ready.input, toCall(row), { ...within, onBroken });
    reach('tool.ran');
    return finish(started, ran, scope);
  }

  async function finish(started: ToolCallRow, ran: ToolOutcome, scope: CallScope): Promise<ToolOutcome> {
    const { turnId, callId: toolCallId, tool, input } = started;
    const hooked = { sessionId: scope.session.id, turnId, toolCallId, tool, input };
    const result = await runAfter(hooks, hooked, ran, logger);
    return record.end(started, scope, { state: ran.outcome ?? (ran.isError ? 'failed' : 'done'), result });
  }

  /** The model has seen the whole already; the record keeps what a reader can bear. */
  async function end(started: ToolCallRow, outcome: ToolOutcome, scope: CallScope): Promise<void> {
    const { output: _, ...rest } = outcome;
    const bounded = await outputs.bound(scope.session.id, outcome.text, scope.config.output);
    const { text, truncated, outputId } = bounded;
    const shown = truncated ? { truncated, ...(outputId && { outputId }) } : { output: text };
    await finish(started, { ...rest, text, ...shown }, scope);
  }

  async function refused(outcome: ToolOutcome, scope: CallScope): Promise<void> {
    const { toolCallId: callId, tool } = outcome;
    const { turnId, session } = scope;
    const askedAt = new Date(clock.now()).toISOString();
    const row = {
      turnId,
      callId,
      sessionId: session.id,
      tool,
      input: null,
      state: 'asked',
      askedAt,
    } as const;
    const result = { ...outcome, isError: true };
    await record.end(row, scope, { state: 'failed', result, denied: 'refused by the engine' });
  }

  async function resume(row: ToolCallRow, scope: CallScope): Promise<ToolOutcome> {
    if (row.result) return row.result;
    const approval = await store.reads.approvalOf(row.turnId, row.callId);
    if (row.state !== 'started' && approval) {
      const final = await answered(row, approval, scope);
      if (final.kind === 'denied') return final.outcome;
      return final.ready.target.tool ? run(final, scope) : letRepeat(final.row, scope);
    }
    const target = preparation.find(row.tool, scope);
    if (
      row.state === 'started' &&
      target?.tool &&
      (target.tool.waits || (await isUndrafted(store.reads, row)))
    )
      return run({ kind: 'allowed', row, ready: { target, input: row.input } }, scope);
    const asked = await deps.questions.settledOf(row.turnId, row.callId, scope.signal);
    if (asked.length > 0) return record.end(row, scope, toAnswered(toCall(row), asked));
    const unknown = outcomeUnknown(toCall(row), 'the server stopped while it was under way');
    return record.end(row, scope, { state: 'unknown', result: unknown });
  }

  /** Only its engine could run it, and that engine has forgotten the call. It may make it again, without asking. */
  function letRepeat(row: ToolCallRow, scope: CallScope): ToolOutcome {
    scope.allowedBefore?.set(toRepeatKey(row), row);
    const text =
      'The person has allowed this call, but the server had stopped and it has not run. Make it again with exactly the same input.';
    return { toolCallId: row.callId, tool: row.tool, text, isError: true };
  }

  const repeated = (outcome: ToolOutcome, scope: CallScope) => record.repeated(outcome, scope);
  const waits = (tool: string) => deps.registry.get(tool)?.tool.waits === true;
  return { waits, list: preparation.list, call, decide, run, start, end, refused, repeated, resume };
}
