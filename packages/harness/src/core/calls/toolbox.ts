// The only place where a host tool runs, for every engine, every MCP client and every surface. In order: find,
// role, parse, hooks, policy, a person if asked (decide.ts); then run within a deadline, bound, audit, events.
import type {
  Config,
  Session,
  Store,
  ToolCall,
  ToolCallRow,
  ToolInfo,
  ToolOutcome,
  TouchedPath,
} from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import type { Questions } from '../approvals/questions.ts';
import type { NewId } from '../lib/ids.ts';
import type { Logger } from '../lib/ports.ts';
import type { PathFacts } from '../protected-paths/path-facts.ts';
import { type Allowed, createAskPerson, type Denied } from './ask-person.ts';
import { createCallFacts } from './call-facts.ts';
import { type CallRecordDeps, createCallRecord, toCall } from './call-record.ts';
import { createDecide, type Decided, type DecideScope } from './decide.ts';
import { type Hooks, runAfter } from './hooks.ts';
import { createOfferedTools, type RoleContext } from './offered-tools.ts';
import type { Outputs } from './output.ts';
import { createProgress } from './progress.ts';
import { createResume } from './resume.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { createToolRun, type RunScope } from './tool-run.ts';

export interface ToolboxDeps extends CallRecordDeps {
  registry: ToolRegistry;
  store: Store;
  approvals: Approvals;
  questions: Questions;
  outputs: Outputs;
  hooks: Hooks;
  logger: Logger;
  newId: NewId;
  judgePaths(paths: readonly TouchedPath[], session: Session): Promise<PathFacts>;
}

/** Who calls a tool, and within what. Each step takes the part that it needs. */
export interface CallScope extends DecideScope, RunScope {
  /** In force in the session's workspace. */
  config: Config;
}

export interface Toolbox {
  /** What a role may call. */
  list(roleContext: RoleContext): readonly ToolInfo[];
  /** Runs one call to its recorded end. Rejects only when the record itself cannot be kept. */
  call(call: ToolCall, scope: CallScope): Promise<ToolOutcome>;
  /** The first half of `call`. Engines that run their calls later, once they may, ask for this alone. */
  decide(call: ToolCall, scope: DecideScope): Promise<Decided>;
  /** The second half: waits for the person if one is asked, and runs what may run. */
  finish(decided: Decided, scope: CallScope): Promise<ToolOutcome>;
  /** Runs what was allowed, for a host tool. */
  run(allowed: Allowed, scope: CallScope): Promise<ToolOutcome>;
  /** An engine's own tool: its engine runs it, between these two. */
  start(allowed: Allowed, scope: CallScope): Promise<ToolCallRow | Denied>;
  end(started: ToolCallRow, outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Records a call that ended before anybody could decide on it: the engine itself refused it. */
  refused(outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Records that a call came under the id of an earlier one, whose row stays as it is. */
  repeated(outcome: ToolOutcome, scope: CallScope): Promise<void>;
  /** Does a call of it only wait, so that it can be resumed after a restart? */
  waits(tool: string): boolean;
  /** Resumes a call that a restart interrupted: waits for its person, runs it once, or says it is unknown. */
  resume(row: ToolCallRow, scope: CallScope): Promise<ToolOutcome>;
}

export function createToolbox(deps: ToolboxDeps): Toolbox {
  const { registry, store, log, outputs, hooks, clock, logger, onCrashPoint } = deps;
  const offered = createOfferedTools(registry);
  const record = createCallRecord(deps);
  const gatherFacts = createCallFacts({ reads: store.reads, clock, judgePaths: deps.judgePaths });
  const person = createAskPerson({ ...deps, offered, gatherFacts, record });
  const decide = createDecide({ offered, hooks, gatherFacts, person, record, clock, logger });
  const runTool = createToolRun({ outputs, logger });
  const resume = createResume({ store, questions: deps.questions, offered, person, record, run });

  async function finish(decided: Decided, scope: CallScope): Promise<ToolOutcome> {
    const final = decided.kind === 'asking' ? await decided.answered() : decided;
    return final.kind === 'allowed' ? run(final, scope) : final.outcome;
  }

  async function start(allowed: Allowed, scope: CallScope): Promise<ToolCallRow | Denied> {
    const { row, ready, by, repeats } = allowed;
    const decision = by && { ...by, effect: ready.target.effect };
    const started = await record.start(row, scope.session, decision, repeats);
    if (started) return started;
    // Its grant was revoked, or has expired, since the decision.
    const text = 'The call was not run: its permission was just revoked. Call it again to ask the person.';
    return { kind: 'denied', outcome: await record.deny(row, scope, text, 'its grant no longer holds') };
  }

  /** Runs what was decided, between the record of its start and the record of its end. */
  async function run(allowed: Allowed, scope: CallScope): Promise<ToolOutcome> {
    const { row, ready } = allowed;
    const { tool } = ready.target;
    if (!tool) throw new Error(`${row.tool} is not a tool of the host.`);
    const started = await start(allowed, scope);
    if ('kind' in started) return started.outcome;
    const onProgress = createProgress((report) => {
      scope.onProgress?.(report);
      const data = { ...report, toolCallId: row.callId };
      return log.emit(scope.session.id, { type: 'tool_progress', data });
    });
    const ran = await runTool(tool, ready.input, toCall(row), { ...scope, onProgress });
    onCrashPoint('tool.ran');
    return recordEnd(started, ran, scope);
  }

  async function recordEnd(started: ToolCallRow, ran: ToolOutcome, scope: CallScope): Promise<ToolOutcome> {
    const { turnId, callId: toolCallId, tool, input } = started;
    const hooked = { sessionId: scope.session.id, turnId, toolCallId, tool, input };
    const result = await runAfter(hooks, hooked, ran, logger);
    return record.end(started, scope, { state: ran.outcome ?? (ran.isError ? 'failed' : 'done'), result });
  }

  return {
    list: offered.list,
    call: async (call, scope) => finish(await decide(call, scope), scope),
    decide,
    finish,
    run,
    start,

    /** The model has seen the whole already; the record keeps what a reader can bear. */
    async end(started, outcome, scope) {
      const { output: _, ...rest } = outcome;
      const bounded = await outputs.bound(scope.session.id, outcome.text, scope.config.output);
      const { text, truncated, outputId } = bounded;
      const shown = truncated ? { truncated, ...(outputId && { outputId }) } : { output: text };
      await recordEnd(started, { ...rest, text, ...shown }, scope);
    },

    async refused(outcome, scope) {
      const { toolCallId: callId, tool } = outcome;
      const { turnId, session } = scope;
      const askedAt = new Date(clock.now()).toISOString();
      const row = { turnId, callId, sessionId: session.id, tool, input: null, askedAt };
      const end = { state: 'failed', result: { ...outcome, isError: true }, denied: 'refused by the engine' };
      await record.end({ ...row, state: 'asked' }, scope, { ...end, state: 'failed' });
    },

    repeated: record.repeated,
    waits: (tool) => registry.get(tool)?.tool.waits === true,
    resume,
  };
}
