// What library users may hang into the door: deny or narrow before a call, redact after it, listen to events. A hook
// that fails denies. No hook can allow what policy refuses.
import type { Event, ToolOutcome } from '@toolyard/sdk';
import type { Logger } from './ports.ts';

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
  /** May take something out of what the model and the log will see. */
  afterToolCall?(
    call: HookedCall,
    outcome: ToolOutcome,
  ): Promise<ToolOutcome | undefined> | ToolOutcome | undefined;
  onEvent?(event: Event): void;
}

export type HookVerdict = { deny: string } | { input: unknown } | undefined;

export async function runBefore(hooks: Hooks, call: HookedCall, logger: Logger): Promise<HookVerdict> {
  try {
    return await hooks.beforeToolCall?.(call);
  } catch (thrown) {
    logger.error('a beforeToolCall hook failed', { cause: thrown, tool: call.tool });
    return { deny: 'A hook of this installation failed, so the call was not run.' };
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
