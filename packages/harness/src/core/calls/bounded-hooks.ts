// Holds hooks to limits: each has a deadline, and what one returns is bounded like the output of a tool. Past a limit the
// hook has failed; what that means, hooks.ts says.
import type { Config, ToolOutcome } from '@toolyard/sdk';
import type { Hooks } from './hooks.ts';
import type { Outputs } from './output.ts';

export interface BoundedHookDeps {
  outputs: Outputs;
  /** What is in force where a session works. */
  configOf(sessionId: string): Promise<Config>;
  /** Aborts when the yard has closed: a hook that is still at work is forgotten, and so is whatever it comes to. */
  closed: AbortSignal;
}

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
    throw new TypeError('what it returned has no text or no isError');
  }
  const { text, truncated, outputId } = await cut(rest.text);
  if (truncated) return { ...rest, text, truncated, ...(outputId && { outputId }) };
  const outputBytes = Buffer.byteLength(JSON.stringify(output) ?? '');
  // The text is what a model reads; beside it nothing longer may stand.
  return outputBytes > maxBytes ? { ...rest, truncated: true } : changed;
}
