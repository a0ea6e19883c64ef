// From a call to a decision: prepared, judged, and a person asked if need be. Records what it refuses; runs nothing.
import {
  type Approval,
  type Store,
  type ToolCall,
  type ToolCallRow,
  type ToolOutcome,
  ToolyardError,
} from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import { toHash } from '../lib/canonical.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import { type createPreparation, type Ready, type Refused, toJudged } from './call-preparation.ts';
import type { createCallRecord } from './call-record.ts';
import type { CallScope } from './call-scope.ts';
import { type Judge, type Judgement, toApproval } from './judge.ts';
import { toPreview } from './preview.ts';
import { toFailed } from './tool-run.ts';

/** Nobody reads more than this before an answer. */
const mostShownBytes = 262_144;

export type Decided = Denied | Allowed | Asking;

/** It will not run, and that is recorded. */
export interface Denied {
  kind: 'denied';
  outcome: ToolOutcome;
}

/** It may run, once. */
export interface Allowed {
  kind: 'allowed';
  row: ToolCallRow;
  ready: Ready;
  /** Absent when a person's answer, recorded before, is the decision. */
  judged?: Judgement;
  /** The call that a person allowed before a restart, and that this one repeats. */
  repeats?: ToolCallRow;
}

/** A person is asked, durably. */
export interface Asking {
  kind: 'asking';
  answered(): Promise<Denied | Allowed>;
}

interface DecisionDeps {
  store: Store;
  approvals: Approvals;
  judge: Judge;
  preparation: ReturnType<typeof createPreparation>;
  record: ReturnType<typeof createCallRecord>;
  clock: Clock;
  newId: NewId;
}

export type CallDecision = ReturnType<typeof createCallDecision>;

export function createCallDecision(deps: DecisionDeps) {
  const { store, approvals, judge, preparation, record, clock, newId } = deps;
  const now = () => new Date(clock.now()).toISOString();

  async function decide(call: ToolCall, scope: CallScope): Promise<Decided> {
    const deciding = decideOn(call, scope);
    scope.deciding?.add(deciding);
    try {
      return await deciding;
    } finally {
      scope.deciding?.delete(deciding);
    }
  }

  async function decideOn({ id, name, input }: ToolCall, scope: CallScope): Promise<Decided> {
    const asked = { ...toKey(id, name, scope), state: 'asked' as const, askedAt: now() };
    const ready = await preparation.prepare({ id, name, input }, scope);
    if ('refused' in ready) return deny({ ...asked, input }, scope, ready);
    const row = { ...asked, input: ready.input };
    if (isLoop(row, ready, scope)) return denyLoop(row, scope);
    const before = scope.allowedBefore?.size ? scope.allowedBefore.get(toRepeatKey(row)) : undefined;
    if (before) return repeat(row, ready, before, scope);
    const judged = await judge(store.reads, toJudged(id, ready), scope);
    if (judged.verdict === 'allow') return { kind: 'allowed', row, ready, judged };
    if (judged.verdict === 'ask') return ask(row, ready, judged, scope);
    return deny(row, scope, { refused: `The call was not run: ${judged.rule}.`, rule: judged.rule });
  }

  /** What a person allowed before a restart: it counts for one call of the same tool with the same input. */
  function repeat(row: ToolCallRow, ready: Ready, before: ToolCallRow, scope: CallScope): Allowed {
    scope.allowedBefore?.delete(toRepeatKey(row));
    const rule = `allowed as call ${before.callId} before a restart`;
    const inputHash = toHash(row.input);
    const judged = { verdict: 'allow', rule, inputHash, grantId: undefined, grantKey: '' } as const;
    const alike = { risk: 'high', scopes: [] } as const;
    return { kind: 'allowed', row, ready, judged: { ...judged, ...alike }, repeats: before };
  }

  async function deny(row: ToolCallRow, scope: CallScope, { refused, rule }: Refused): Promise<Denied> {
    const result = toFailed(toCall(row), refused);
    return {
      kind: 'denied',
      outcome: await record.end(row, scope, { state: 'failed', result, denied: rule }),
    };
  }

  /** Who does not listen to as many refusals as there were calls will not listen to more. */
  async function denyLoop(row: ToolCallRow, scope: CallScope): Promise<Denied> {
    const { maxRepeats } = scope.config.limits;
    const denied = await deny(row, scope, toLoop(scope));
    const { count = 0 } = scope.repeats ?? {};
    if (count < 2 * maxRepeats) return denied;
    const message = `The turn stopped: ${row.tool} was called ${count} times in a row with the same input, though it was refused after ${maxRepeats}. (limits.maxRepeats)`;
    scope.stop?.(new ToolyardError('step_limit', message));
    return denied;
  }

  async function ask(
    row: ToolCallRow,
    ready: Ready,
    judged: Judgement,
    scope: CallScope,
  ): Promise<Denied | Asking> {
    if (Buffer.byteLength(JSON.stringify(row.input)) > mostShownBytes) {
      const refused = 'The call was not run: its input is too large to be shown to a person.';
      return deny(row, scope, { refused, rule: 'input too large to be shown' });
    }
    const shown = await preview(row, ready, scope);
    if ('failed' in shown) {
      return deny(row, scope, { refused: `The call was not run: ${shown.failed}.`, rule: 'no preview' });
    }
    try {
      const stamps = { id: newId('apr'), createdAt: now(), ...approvals.terms(scope.config), ...shown };
      const approval = toApproval(toJudged(row.callId, ready), judged, scope, stamps);
      await record.ask(row, approval, scope.config);
      scope.onApproval?.(approval);
      // At once: from now on the turn waits for a person, whether its engine has begun to or not.
      const end = answered(row, approval, scope);
      end.catch(() => {});
      return { kind: 'asking', answered: () => end };
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'too_many_pending')) throw thrown;
      const refused = `The call was not run: ${thrown.message}`;
      return deny(row, scope, { refused, rule: 'toolApproval.maxPending' });
    }
  }

  /** Waits for the person, and checks that what was approved is what would run. */
  async function answered(row: ToolCallRow, approval: Approval, scope: CallScope): Promise<Denied | Allowed> {
    const settled = await approvals.settled(approval, scope.signal);
    scope.onApproval?.(settled);
    if (settled.state !== 'allowed') return fail(row, scope, sayWhyNot(settled));
    const target = preparation.find(row.tool, scope);
    const ready = target && { target, input: row.input };
    if (!ready || !(await isAsShown(ready, row, settled, scope))) {
      const text = 'The call was not run: something has changed since it was approved. Call it again.';
      return fail(row, scope, text, 'no longer what was approved');
    }
    // The session may be in plan mode by now, or a file of it protected: then the answer came too late.
    const judged = await judge(store.reads, toJudged(row.callId, ready), scope);
    if (judged.verdict === 'deny')
      return fail(row, scope, `The call was not run: ${judged.rule}.`, judged.rule);
    return { kind: 'allowed', row: { ...row, state: 'allowed' }, ready };
  }

  async function fail(row: ToolCallRow, scope: CallScope, text: string, denied?: string): Promise<Denied> {
    const result = toFailed(toCall(row), text);
    const end = { state: 'failed', result, ...(denied && { denied }) } as const;
    return { kind: 'denied', outcome: await record.end(row, scope, end) };
  }

  /** Is what would run now still what the person saw? */
  async function isAsShown(
    ready: Ready,
    row: ToolCallRow,
    approved: Approval,
    scope: CallScope,
  ): Promise<boolean> {
    if (ready.target.schemaHash !== approved.schemaHash || toHash(row.input) !== approved.inputHash)
      return false;
    const now = await preview(row, ready, scope);
    return !('failed' in now) && now.preview === approved.preview;
  }

  return { decide, answered };
}

/** Only a host tool can show more than its input. */
async function preview(row: ToolCallRow, { target, input }: Ready, scope: CallScope) {
  if (!target.tool) return { preview: undefined };
  const { session, turnId, signal } = scope;
  const within = { sessionId: session.id, turnId, toolCallId: row.callId, cwd: session.cwd, signal };
  // For looking only: nothing here reports progress.
  return toPreview(target.tool, input, { ...within, progress() {} });
}

function toKey(callId: string, tool: string, { session, turnId }: CallScope) {
  return { turnId, callId, sessionId: session.id, tool };
}

export function toCall({ callId, tool, input }: ToolCallRow): ToolCall {
  return { id: callId, name: tool, input };
}

/** Under which a call allowed before a restart is found again. */
export function toRepeatKey({ tool, input }: Pick<ToolCallRow, 'tool' | 'input'>): string {
  return `${tool} ${toHash(input)}`;
}

/** The very same call again and again brings nothing new. What only waits may be called as often as one likes. */
function isLoop(row: ToolCallRow, { target }: Ready, { repeats, config }: CallScope): boolean {
  if (!repeats || target.tool?.waits) return false;
  const key = toRepeatKey(row);
  repeats.count = repeats.key === key ? repeats.count + 1 : 1;
  repeats.key = key;
  return repeats.count > config.limits.maxRepeats;
}

function toLoop({ config }: CallScope): Refused {
  const { maxRepeats } = config.limits;
  const refused = `The call was not run: it was made ${maxRepeats} times in a row with the same input. Do something else, or say what is in the way.`;
  return { refused, rule: `limits.maxRepeats is ${maxRepeats}` };
}

/** What the model hears. Only a person's own no is called that. */
function sayWhyNot({ state, reason }: Approval): string {
  if (state === 'denied') return `The person did not allow this call${reason ? `: ${reason}` : '.'}`;
  if (state === 'expired')
    return 'The call was not run: nobody could answer in time and the request has expired.';
  return 'The call was not run: the request was cancelled.';
}
