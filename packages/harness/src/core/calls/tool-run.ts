// Runs one handler: with a deadline, in a thread of its own if the tool asks for it, its output checked and bounded.
// Whatever goes wrong becomes one clear sentence for the model and a full cause in the log.
import {
  type Config,
  type Progress,
  type Session,
  type Tool,
  type ToolCall,
  type ToolContext,
  ToolError,
  type ToolOutcome,
} from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import type { Outputs } from './output.ts';
import { runInWorker } from './tool-worker.ts';

/** How long a handler may take to stop once it is told to, before its outcome counts as unknown. */
const stopTimeoutMs = 1_000;
/** Of what a tool says about its own failure. */
const maxErrorLength = 8_000;

export interface ToolRunDeps {
  outputs: Outputs;
  logger: Logger;
}

/** What a handler runs within. */
export interface RunScope {
  config: Config;
  session: Session;
  turnId: string;
  signal: AbortSignal;
  /** Receives progress. */
  onProgress?: (report: Progress) => void;
  /** Receives what a broken tool threw, which no model reads. */
  onBroken?: (thrown: unknown) => void;
}

export type RunTool = (tool: Tool, input: unknown, call: ToolCall, scope: RunScope) => Promise<ToolOutcome>;

export function createToolRun({ outputs, logger }: ToolRunDeps): RunTool {
  async function finish(tool: Tool, value: unknown, call: ToolCall, scope: RunScope): Promise<ToolOutcome> {
    const output = tool.output.parse(value);
    const { text, truncated, outputId } = await outputs.bound(
      scope.session.id,
      JSON.stringify(output),
      scope.config.output,
    );
    const shown = truncated ? { truncated, ...(outputId && { outputId }) } : { output };
    return { toolCallId: call.id, tool: call.name, text, ...shown, isError: false };
  }

  return async (tool, input, call, scope) => {
    const { config, session, turnId, onProgress, onBroken } = scope;
    const limitMs = tool.deadlineMs ?? config.tools.deadlineMs;
    // The turn may have been interrupted while the start was being written.
    if (scope.signal.aborted) return toFailed(call, 'The call was not run: the turn was interrupted.');
    const { late, clear } = startDeadline(limitMs);
    const signal = AbortSignal.any([scope.signal, late]);
    const context: ToolContext = {
      sessionId: session.id,
      turnId,
      toolCallId: call.id,
      cwd: session.cwd,
      signal,
      progress: (report) => onProgress?.(report),
    };
    try {
      const handler = tool.worker
        ? runInWorker(tool.worker, input, context)
        : Promise.resolve().then(() => tool.run(input, context));
      const settled = await settleWithin(handler, signal, stopTimeoutMs);
      if (settled !== stillRunning) return await finish(tool, settled, call, scope);
      if (late.aborted)
        return toFailed(
          call,
          `The tool timed out after ${limitMs / 1_000} s and did not stop. It may still be running.`,
        );
      return outcomeUnknown(call, 'the call was interrupted and did not stop');
    } catch (thrown) {
      if (thrown instanceof ToolError) return toFailed(call, thrown.message.slice(0, maxErrorLength));
      if (scope.signal.aborted) return toFailed(call, 'The call was interrupted.');
      if (late.aborted)
        return toFailed(call, `The tool timed out after ${limitMs / 1_000} s and was stopped.`);
      logger.error(`tool ${call.name} failed`, {
        cause: thrown,
        sessionId: session.id,
        turnId,
        toolCallId: call.id,
      });
      onBroken?.(thrown);
      return toFailed(call, `The tool ${call.name} failed. The person can find the cause in the server log.`);
    } finally {
      clear();
    }
  };
}

/** Not AbortSignal.timeout, which keeps its timer until the time is up, however short the call was. */
function startDeadline(ms: number): { late: AbortSignal; clear(): void } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('The time is up.', 'TimeoutError')), ms);
  timer.unref();
  return { late: late.signal, clear: () => clearTimeout(timer) };
}

export function toFailed(call: Pick<ToolCall, 'id' | 'name'>, text: string): ToolOutcome {
  return { toolCallId: call.id, tool: call.name, text, isError: true };
}

/** For a call that began and whose end nobody saw. */
export function outcomeUnknown(call: Pick<ToolCall, 'id' | 'name'>, why: string): ToolOutcome {
  const text = `Outcome unknown: ${why}. The call to ${call.name} may or may not have had its effect; check before repeating it.`;
  return { toolCallId: call.id, tool: call.name, text, isError: true, outcome: 'unknown' };
}
