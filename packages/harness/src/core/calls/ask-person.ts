// Asks a person about a call, durably, and waits for the answer. What runs afterwards is what they saw, or nothing.
import { type Approval, type ToolCallRow, type ToolOutcome, ToolyardError } from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import { toLineage } from '../audit/audit-changes.ts';
import { toHash } from '../lib/canonical-json.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import type { CallFacts, GatherFacts, ReadyCall } from './call-facts.ts';
import type { CallRecord, RecordScope } from './call-record.ts';
import type { OfferedTools, RoleContext } from './offered-tools.ts';
import * as policy from './policy.ts';

/** Nobody reads more than this before an answer. */
const maxShownBytes = 262_144;
const previewTimeoutMs = 10_000;
const maxPreviewChars = 20_000;

/** It will not run, and that is recorded. */
export interface Denied {
  kind: 'denied';
  outcome: ToolOutcome;
}

/** It may run, once. */
export interface Allowed {
  kind: 'allowed';
  row: ToolCallRow;
  ready: ReadyCall;
  /** The rule that allowed it. Absent when a person's answer, recorded before, is the decision. */
  by?: { rule: string; grantId?: string | undefined };
  /** The call that a person allowed before a restart, and that this one repeats. */
  repeats?: ToolCallRow;
}

/** A person is asked, durably. */
export interface Asking {
  kind: 'asking';
  answered(): Promise<Denied | Allowed>;
}

export interface AskScope extends RecordScope, RoleContext {
  signal: AbortSignal;
  /** The call has its session to itself: nothing in it could be called again. */
  isAlone?: boolean;
  /** Receives the approval that was opened, and then how it ended. */
  onApproval?: (approval: Approval) => void;
}

export interface AskDeps {
  approvals: Approvals;
  offered: OfferedTools;
  gatherFacts: GatherFacts;
  record: CallRecord;
  clock: Clock;
  newId: NewId;
}

export type AskPerson = ReturnType<typeof createAskPerson>;

export function createAskPerson({ approvals, offered, gatherFacts, record, clock, newId }: AskDeps) {
  async function deny(row: ToolCallRow, scope: AskScope, text: string, rule?: string): Promise<Denied> {
    return { kind: 'denied', outcome: await record.deny(row, scope, text, rule) };
  }

  /** Refuses instead of asking when a person could not be shown the call, or too many are waiting. */
  async function ask(
    row: ToolCallRow,
    ready: ReadyCall,
    facts: CallFacts & { rule: string },
    scope: AskScope,
  ): Promise<Denied | Asking> {
    if (Buffer.byteLength(JSON.stringify(row.input)) > maxShownBytes) {
      const text = 'The call was not run: its input is too large to show to a person. Use a smaller input.';
      return deny(row, scope, text, 'input too large to be shown');
    }
    const shown = await toPreview(row, ready, scope);
    if ('failed' in shown) return deny(row, scope, `The call was not run: ${shown.failed}.`, 'no preview');
    const approval: Approval = {
      id: newId('apr'),
      createdAt: new Date(clock.now()).toISOString(),
      ...approvals.terms(scope.config),
      ...toQuestion(row, ready, facts, scope),
      ...(shown.preview !== undefined && { preview: shown.preview }),
    };
    try {
      await record.ask(row, approval, scope.config);
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'too_many_pending')) throw thrown;
      return deny(row, scope, `The call was not run: ${thrown.message}`, 'toolApproval.maxPending');
    }
    scope.onApproval?.(approval);
    // At once: from now on the turn waits for a person, whether its engine has begun to or not.
    const end = answered(row, approval, scope);
    end.catch(() => {});
    return { kind: 'asking', answered: () => end };
  }

  /** Waits for the person, and checks that what was approved is what would run. */
  async function answered(row: ToolCallRow, approval: Approval, scope: AskScope): Promise<Denied | Allowed> {
    const settled = await approvals.settled(approval, scope.signal);
    scope.onApproval?.(settled);
    if (settled.state !== 'allowed') return deny(row, scope, formatRefusal(settled));
    const target = offered.find(row.tool, scope);
    const ready = target && { target, input: row.input };
    if (!ready || !(await isAsShown(row, ready, settled, scope))) {
      const text = 'The call was not run: it no longer matches what was approved. Call it again.';
      return deny(row, scope, text, 'no longer what was approved');
    }
    // The session may be in plan mode by now, or a file of it protected: then the answer came too late.
    const { verdict, rule } = policy.decide(await gatherFacts(ready, scope));
    if (verdict === 'deny') return deny(row, scope, `The call was not run: ${rule}.`, rule);
    return { kind: 'allowed', row: { ...row, state: 'allowed' }, ready };
  }

  return { ask, answered };
}

function toQuestion(
  row: ToolCallRow,
  { target }: ReadyCall,
  facts: CallFacts & { rule: string },
  { session, turnId, isAlone }: AskScope,
) {
  return {
    sessionId: session.id,
    rootSessionId: session.rootSessionId,
    turnId,
    toolCallId: row.callId,
    tool: row.tool,
    effect: target.effect,
    risk: policy.toRisk(facts),
    input: row.input,
    inputHash: toHash(row.input),
    schemaHash: target.schemaHash,
    grantKey: facts.grantKey,
    rule: facts.rule,
    scopes: policy.toScopes(facts.tiers, isAlone),
    state: 'pending',
    lineage: toLineage(session),
  } as const;
}

/** Is what would run now still what the person saw? */
async function isAsShown(
  row: ToolCallRow,
  ready: ReadyCall,
  approved: Approval,
  scope: AskScope,
): Promise<boolean> {
  if (ready.target.schemaHash !== approved.schemaHash || toHash(row.input) !== approved.inputHash)
    return false;
  const now = await toPreview(row, ready, scope);
  return !('failed' in now) && now.preview === approved.preview;
}

/** What an approver sees beside the input. A tool makes it, so it is bounded in time and size, and may fail. */
async function toPreview(
  row: ToolCallRow,
  { target: { tool }, input }: ReadyCall,
  { session, turnId, signal: turnSignal }: AskScope,
): Promise<{ preview: string | undefined } | { failed: string }> {
  if (!tool?.preview) return { preview: undefined };
  const signal = AbortSignal.any([turnSignal, AbortSignal.timeout(previewTimeoutMs)]);
  const context = { sessionId: session.id, turnId, toolCallId: row.callId, cwd: session.cwd, signal };
  try {
    // For looking only: nothing here reports progress.
    const made = Promise.resolve(tool.preview(input, { ...context, progress() {} }));
    const preview = await settleWithin(made, signal, 0);
    if (preview === stillRunning) return { failed: 'its preview timed out' };
    return { preview: String(preview).slice(0, maxPreviewChars) };
  } catch {
    return { failed: 'its preview failed' };
  }
}

/** What the model reads. Only a person's own no is called that. */
function formatRefusal({ state, reason }: Approval): string {
  if (state === 'denied') return `The person did not allow this call${reason ? `: ${reason}` : '.'}`;
  if (state === 'expired') return 'The call was not run: no one answered in time, and the request expired.';
  return 'The call was not run: the request was cancelled.';
}
