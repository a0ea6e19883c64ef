// What library users may hang into the door: deny or narrow before a call, redact after it, listen to events. A hook
// that fails or takes too long denies. No hook can allow what policy refuses.
import type { Event, ToolOutcome } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';

export interface HookedCall {
  sessionId: string;
  turnId: string;
  toolCallId: string;
  tool: string;
  input: unknown;
}

export interface Hooks {
  /** May deny the call, or replace its input by a narrower one, which is parsed and judged like any other. */
  beforeToolCall?(call: HookedCall): Promise<HookVerdict> | HookVerdict;
  /** May take something out of what the model and the log will see. Bounded like the output of a tool. */
  afterToolCall?(
    call: HookedCall,
    outcome: ToolOutcome,
  ): Promise<ToolOutcome | undefined> | ToolOutcome | undefined;
  /** Hears each event once it is durable. Nobody waits for it; what it throws goes to the log. */
  onEvent?(event: Event): void;
}

export type HookVerdict = { deny: string } | { input: unknown } | undefined;

export async function runBefore(hooks: Hooks, call: HookedCall, logger: Logger): Promise<HookVerdict> {
  try {
    return requireVerdict(await hooks.beforeToolCall?.(call));
  } catch (thrown) {
    logger.error('a beforeToolCall hook failed', { cause: thrown, tool: call.tool });
    return { deny: 'A hook of this installation failed, so the call was not run.' };
  }
}

/** Throws at what is neither nothing, nor a refusal, nor another input: who wrote it may have meant a refusal. */
function requireVerdict(verdict: unknown): HookVerdict {
  if (verdict === undefined) return undefined;
  if (typeof verdict === 'object' && verdict !== null) {
    if ('deny' in verdict && typeof verdict.deny === 'string') return { deny: verdict.deny };
    if ('input' in verdict && !('deny' in verdict)) return { input: verdict.input };
  }
  throw new TypeError('it returned neither nothing, nor { deny }, nor { input }');
}

/** Never rejects. */
export async function runOnEvent(hooks: Hooks, event: Event, logger: Logger): Promise<void> {
  try {
    // It may be an async function, whose promise TypeScript lets pass for void.
    const heard: unknown = hooks.onEvent?.(event);
    await heard;
  } catch (thrown) {
    logger.error('an onEvent hook failed', { cause: thrown, type: event.type });
  }
}

/** The outcome after the hook; a failing hook hides the result rather than let it through. */
export async function runAfter(
  hooks: Hooks,
  call: HookedCall,
  outcome: ToolOutcome,
  logger: Logger,
): Promise<ToolOutcome> {
  try {
    const changed = await hooks.afterToolCall?.(call, outcome);
    return changed ? { ...changed, toolCallId: outcome.toolCallId, tool: outcome.tool } : outcome;
  } catch (thrown) {
    logger.error('an afterToolCall hook failed', { cause: thrown, tool: call.tool });
    const text = 'The call ran, but a hook of this installation failed and its result is withheld.';
    return { toolCallId: outcome.toolCallId, tool: outcome.tool, text, isError: true };
  }
}
