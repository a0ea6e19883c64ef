// Hands the calls of one message to the host, all at once, and waits for what comes of them. Runs nothing itself.
import { type EngineHost, pause, type ToolCall, type ToolOutcome, untilAborted } from '@toolyard/sdk';

/** How long an aborted turn still waits for calls that are stopping, so that their own words are kept. */
const stoppingMs = 250;

/** One outcome per call. After an abort, calls that have not answered in time are left behind and said to be so. */
export async function runCalls(
  calls: readonly ToolCall[],
  host: Pick<EngineHost, 'tools'>,
  signal: AbortSignal,
): Promise<ToolOutcome[]> {
  const outcomes = new Map<string, ToolOutcome>();
  const all = Promise.all(
    calls.map(async (call) => {
      outcomes.set(call.id, await run(call, host));
    }),
  );
  await untilAborted(all, signal);
  if (outcomes.size < calls.length) await Promise.race([all, pause(stoppingMs)]);
  return calls.map((call) => outcomes.get(call.id) ?? toLeftBehind(call));
}

/** The port says a call never rejects; a host that breaks its word must not break the turn. */
async function run(call: ToolCall, host: Pick<EngineHost, 'tools'>): Promise<ToolOutcome> {
  try {
    return await host.tools.call(call);
  } catch {
    return { toolCallId: call.id, tool: call.name, text: 'The call could not be made.', isError: true };
  }
}

function toLeftBehind(call: ToolCall): ToolOutcome {
  const text =
    'The turn was interrupted while this call was under way. It may or may not have had its effect.';
  return { toolCallId: call.id, tool: call.name, text, isError: true, outcome: 'unknown' };
}
