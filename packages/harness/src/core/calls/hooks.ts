// The hooks of a library user: deny or narrow a call before it runs, redact its result, listen to events. A hook that
// fails, takes too long or returns too much denies. No hook can allow what policy refuses.
import type { Config, Event, Store, ToolOutcome } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import type { Outputs } from './output.ts';

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
    logger.error('beforeToolCall hook failed', { cause: thrown, tool: call.tool });
    return { deny: 'The call was not run: a hook of this installation failed.' };
  }
}

/** Throws at what is neither nothing, nor a refusal, nor another input: who wrote it may have meant a refusal. */
function requireVerdict(verdict: unknown): HookVerdict {
  if (verdict === undefined) return undefined;
  if (typeof verdict === 'object' && verdict !== null) {
    if ('deny' in verdict && typeof verdict.deny === 'string') return { deny: verdict.deny };
    if ('input' in verdict && !('deny' in verdict)) return { input: verdict.input };
  }
  throw new TypeError('it must return nothing, { deny } or { input }');
}

/** Calls `onEvent` for each event that is durable. */
export function followEvents(hooks: Hooks, store: Pick<Store, 'onCommitted'>, logger: Logger): void {
  store.onCommitted((events) => {
    for (const event of events) void runOnEvent(hooks, event, logger);
  });
}

/** Never rejects. */
async function runOnEvent(hooks: Hooks, event: Event, logger: Logger): Promise<void> {
  try {
    // It may be an async function, whose promise TypeScript lets pass for void.
    const returned: unknown = hooks.onEvent?.(event);
    await returned;
  } catch (thrown) {
    logger.error('onEvent hook failed', { cause: thrown, type: event.type });
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
    logger.error('afterToolCall hook failed', { cause: thrown, tool: call.tool });
    const text = 'The call ran, but its result is withheld: a hook of this installation failed.';
    return { toolCallId: outcome.toolCallId, tool: outcome.tool, text, isError: true };
  }
}

export interface BoundedHookDeps {
  outputs: Outputs;
  /** What is in force where a session works. */
  configOf(sessionId: string): Promise<Config>;
  /** Aborts when the yard has closed: a hook that is still at work is forgotten, and so is whatever it comes to. */
  closed: AbortSignal;
}

/** Holds hooks to limits: each has a deadline, and what one returns is bounded like the output of a tool. */
export function boundHooks(hooks: Hooks, { outputs, configOf, closed }: BoundedHookDeps): Hooks {
  const { beforeToolCall, afterToolCall, onEvent } = hooks;
  return {
    ...(onEvent && { onEvent: onEvent.bind(hooks) }),
    ...(beforeToolCall && {
      async beforeToolCall(call) {
        const { tools } = await configOf(call.sessionId);
        return inTime(async () => beforeToolCall.call(hooks, call), tools.hookDeadlineMs, closed);
      },
    }),
    ...(afterToolCall && {
      async afterToolCall(call, outcome) {
        const { tools, output } = await configOf(call.sessionId);
        const changed = await inTime(
          async () => afterToolCall.call(hooks, call, outcome),
          tools.hookDeadlineMs,
          closed,
        );
        return changed && bound(changed, (text) => outputs.bound(call.sessionId, text, output), output);
      },
    }),
  };
}

/** Nobody can stop a hook; it is no longer waited for. After the yard has closed this never settles. */
function inTime<T>(work: () => Promise<T>, limitMs: number, closed: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`it took longer than ${limitMs} ms`));
    const timer = closed.aborted ? undefined : setTimeout(late, limitMs);
    const stop = () => clearTimeout(timer);
    closed.addEventListener('abort', stop, { once: true });
    const settle = (how: () => void) => {
      stop();
      closed.removeEventListener('abort', stop);
      if (!closed.aborted) how();
    };
    work().then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

/** Throws at what is no outcome or cannot be written down. */
async function bound(
  changed: ToolOutcome,
  cut: (text: string) => ReturnType<Outputs['bound']>,
  { maxBytes }: Config['output'],
): Promise<ToolOutcome> {
  const { output, ...rest } = changed;
  if (typeof rest.text !== 'string' || typeof rest.isError !== 'boolean') {
    throw new TypeError('its return value has no text or no isError');
  }
  const { text, truncated, outputId } = await cut(rest.text);
  if (truncated) return { ...rest, text, truncated, ...(outputId && { outputId }) };
  const outputBytes = Buffer.byteLength(JSON.stringify(output) ?? '');
  // The text is what a model reads; beside it nothing longer may stand.
  return outputBytes > maxBytes ? { ...rest, truncated: true } : changed;
}
