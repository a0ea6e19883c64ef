// The one door: the only place where a host tool runs, for every engine and every surface. In order: find, parse,
// record that it starts, run, check the output, record the result. A failure is an outcome the model can read.
import {
  type EventDraft,
  type Session,
  type Tool,
  type ToolCall,
  type ToolCallRow,
  ToolError,
  type ToolInfo,
  type Toolkit,
  type ToolOutcome,
  toFullName,
} from '@toolyard/sdk';
import { z } from 'zod';
import type { Log } from './log.ts';
import { nearest } from './nearest.ts';
import type { Clock, Logger, Reach } from './ports.ts';
import { settleWithin, stillRunning } from './settle-within.ts';

/** How long an interrupted handler may take to stop before its outcome counts as unknown. */
const stopWithinMs = 1_000;
const notRun = 'The call was not run: the turn was interrupted.';

export interface ToolboxDeps {
  toolkits: readonly Toolkit[];
  log: Log;
  clock: Clock;
  logger: Logger;
  reach: Reach;
}

/** Who calls, and within what. */
export interface CallScope {
  session: Session;
  turnId: string;
  signal: AbortSignal;
  /** Whether the turn still goes on. Its end settles every call that is open then. */
  isOpen(): boolean;
}

export interface Toolbox {
  list(): readonly ToolInfo[];
  /** Runs one call to its recorded end. Rejects only when the record itself cannot be kept. */
  call(call: ToolCall, scope: CallScope): Promise<ToolOutcome>;
}

interface Ready {
  tool: Tool;
  input: unknown;
}

interface Entry {
  tool: Tool;
  info: ToolInfo;
}

export function createToolbox({ toolkits, log, clock, logger, reach }: ToolboxDeps): Toolbox {
  const entries = register(toolkits);
  const infos = [...entries.values()].map(({ info }) => info);
  const now = () => new Date(clock.now()).toISOString();

  async function call(call: ToolCall, scope: CallScope): Promise<ToolOutcome> {
    const { session, turnId, signal } = scope;
    const at = now();
    const row = {
      turnId,
      callId: call.id,
      sessionId: session.id,
      tool: call.name,
      input: call.input,
      askedAt: at,
    };
    const ready = prepare(entries, call, signal);
    if ('refused' in ready)
      return record({ ...row, state: 'failed', endedAt: at }, failed(call, ready.refused), scope);
    const started = { ...row, state: 'started' as const, startedAt: at };
    await log.commit(session.id, (tx) => tx.putToolCall(started));
    reach('tool.started');
    const result = await run(ready, call, scope);
    reach('tool.ran');
    const state = result.outcome ?? (result.isError ? 'failed' : 'done');
    return record({ ...started, state, endedAt: now() }, result, scope);
  }

  async function record(row: ToolCallRow, result: ToolOutcome, scope: CallScope): Promise<ToolOutcome> {
    await log.commit(row.sessionId, async (tx, append) => {
      // Too late: the turn's end has said, or is about to say, that the outcome is unknown.
      if (!scope.isOpen()) return;
      await tx.putToolCall({ ...row, result });
      await append(toResultEvent(result));
    });
    reach('tool.recorded');
    return result;
  }

  async function run({ tool, input }: Ready, call: ToolCall, scope: CallScope): Promise<ToolOutcome> {
    const { session, turnId, signal } = scope;
    // The turn may have been interrupted while the start was being written.
    if (signal.aborted) return failed(call, notRun);
    const context = { sessionId: session.id, turnId, toolCallId: call.id, cwd: session.cwd, signal };
    try {
      const handler = Promise.resolve().then(() => tool.run(input, context));
      const settled = await settleWithin(handler, signal, stopWithinMs);
      if (settled === stillRunning) return outcomeUnknown(call, 'it was interrupted and did not stop');
      const output = tool.output.parse(settled);
      return { toolCallId: call.id, tool: call.name, text: JSON.stringify(output), output, isError: false };
    } catch (thrown) {
      if (thrown instanceof ToolError) return failed(call, thrown.message);
      if (signal.aborted) return failed(call, 'The call was interrupted.');
      logger.error(`tool ${call.name} broke`, { cause: thrown, sessionId: session.id, toolCallId: call.id });
      return failed(call, `The tool ${call.name} broke. The person can find the cause in the server log.`);
    }
  }

  return { list: () => infos, call };
}

function register(toolkits: readonly Toolkit[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const kit of toolkits) {
    for (const tool of kit.tools) {
      const name = toFullName(kit.server, tool.name);
      if (entries.has(name)) throw new Error(`Two tools are called ${name}.`);
      entries.set(name, { tool, info: toInfo(kit, tool, name) });
    }
  }
  return entries;
}

function toInfo(kit: Toolkit, tool: Tool, name: string): ToolInfo {
  const { title, description, effect } = tool;
  const schemas = {
    inputSchema: toJsonSchema(tool.input, 'input'),
    outputSchema: toJsonSchema(tool.output, 'output'),
  };
  return { name, title, description, toolkit: kit.name, effect, tier: tool.tier ?? 'session', ...schemas };
}

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

/** Finds the tool and parses its input, or says why the call cannot start. */
function prepare(
  entries: Map<string, Entry>,
  call: ToolCall,
  signal: AbortSignal,
): Ready | { refused: string } {
  if (signal.aborted) return { refused: notRun };
  const entry = entries.get(call.name);
  if (!entry) {
    const guess = nearest(call.name, [...entries.keys()]);
    return { refused: `There is no tool ${call.name}.${guess ? ` Did you mean ${guess}?` : ''}` };
  }
  const parsed = entry.tool.input.safeParse(call.input);
  if (parsed.success) return { tool: entry.tool, input: parsed.data };
  return { refused: `Invalid input for ${call.name}: ${z.prettifyError(parsed.error)}` };
}

function failed(call: ToolCall, text: string): ToolOutcome {
  return { toolCallId: call.id, tool: call.name, text, isError: true };
}

/** For a call that began and whose end nobody saw. */
export function outcomeUnknown(call: Pick<ToolCall, 'id' | 'name'>, why: string): ToolOutcome {
  const text = `Outcome unknown: ${why}. The call to ${call.name} may or may not have had its effect; check before repeating it.`;
  return { toolCallId: call.id, tool: call.name, text, isError: true, outcome: 'unknown' };
}

export function toResultEvent(result: ToolOutcome): EventDraft<'tool_result'> {
  const { toolCallId, isError, outcome } = result;
  const output = isError ? result.text : result.output;
  return { type: 'tool_result', data: { toolCallId, output, isError, ...(outcome && { outcome }) } };
}
