// Holds hooks to limits: each has a deadline, and what one returns is bounded like the output of a tool. Past a limit the
// hook has failed; what that means, hooks.ts says.
import type { Config, ToolOutcome } from '@toolyard/sdk';
import type { Hooks } from './hooks.ts';
import type { Outputs } from './output.ts';

export interface BoundedHookDeps {
  outputs: Outputs;
  /** What is in force where a session works. */
  configOf(sessionId: string): Promise<Config>;
}

export function boundHooks(hooks: Hooks, { outputs, configOf }: BoundedHookDeps): Hooks {
  const { beforeToolCall, afterToolCall, onEvent } = hooks;
  return {
    ...(onEvent && { onEvent: onEvent.bind(hooks) }),
    ...(beforeToolCall && {
      async beforeToolCall(call) {
        const { tools } = await configOf(call.sessionId);
        return inTime(async () => beforeToolCall.call(hooks, call), tools.hookDeadlineMs);
      },
    }),
    ...(afterToolCall && {
      async afterToolCall(call, outcome) {
        const { tools, output } = await configOf(call.sessionId);
        const changed = await inTime(
          async () => afterToolCall.call(hooks, call, outcome),
          tools.hookDeadlineMs,
        );
        return changed && bound(changed, (text) => outputs.bound(call.sessionId, text, output), output);
      },
    }),
  };
}

/** Nobody can stop a hook; it is no longer waited for. */
async function inTime<T>(work: () => Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took longer than ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
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
