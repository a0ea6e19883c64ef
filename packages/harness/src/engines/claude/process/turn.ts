// One turn in the CLI: what it says becomes events, what it ran is told to the host, and its result ends the turn.
import { isDeepStrictEqual } from 'node:util';
import { type EngineHost, type ToolCall, type ToolOutcome, untilAborted } from '@toolyard/sdk';
import type { Translated, Translation } from '../events/translate.ts';
import type { GatedTurn } from '../gate/gate.ts';
import { isFields } from '../lib/untyped-fields.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { CliExit } from './running-cli.ts';

/** A call is announced on the same pipe as its hook and before it; only a broken CLI makes us wait this long. */
const announceTimeoutMs = 5_000;
/** The model may go on with further calls; the first need not wait for all of them. */
const stepTimeoutMs = 250;
const commandTools = new Set(['claude:Bash', 'claude:PowerShell']);

export interface OpenTurn extends GatedTurn {
  /** Takes the next message. Resolves when the log has it. */
  take(message: unknown): Promise<void>;
  /** Judges and runs a call of a host tool, if the model has made it. */
  runCall(call: ToolCall): Promise<ToolOutcome>;
  /** The process is gone: the turn ends with that, unless it has ended. */
  onExit(exit: CliExit): void;
  /** Has the CLI said anything of this turn? */
  hasBegun(): boolean;
  /** The CLI waits for its model, or may: tells that nobody will know what the step has used. */
  emitUncounted(): void;
  /** Was a command let through, which may have left processes behind? */
  hasRunCommands(): boolean;
  readonly ended: Promise<End | CliExit>;
}

export type End = NonNullable<Translated['ended']>;

export interface TurnMarks {
  onToken(token: string): void;
  /** The newest entry of the CLI's own transcript. */
  onEntry(uuid: string): void;
  /** The CLI has run a tool that it has not asked about: its gate does not hold. */
  onUngated(tool: string): void;
}

interface SeenCall {
  call: ToolCall;
  /** Resolves when the whole input is in the log. */
  announced: PromiseWithResolvers<void>;
  /** Resolves when the step it belongs to is: what it used, and the calls beside it. */
  stepped: PromiseWithResolvers<void>;
  judged: boolean;
}

export function openTurn(host: EngineHost, translation: Translation, marks: TurnMarks): OpenTurn {
  const ended = Promise.withResolvers<End | CliExit>();
  let hasBegun = false;
  let isOver = false;
  let hasRunCommands = false;
  let isStepping = false;
  const calls = new Map<string, SeenCall>();
  ended.promise.then(() => {
    isOver = true;
  });
  /** The message being taken: nothing is judged or run before the log has what came first. */
  let taking: Promise<void> | undefined;

  async function untilTaken(): Promise<void> {
    while (taking) await taking;
  }

  async function take(message: unknown): Promise<void> {
    const { events, results, token, lastUuid, ended: end } = translation.take(message);
    if (token) marks.onToken(token);
    if (lastUuid) marks.onEntry(lastUuid);
    await emit(events);
    await settle(results);
    if (end) ended.resolve(end);
  }

  function see(id: string): SeenCall {
    const known = calls.get(id);
    if (known) return known;
    const call = { id, name: '', input: {} };
    const [announced, stepped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const seen = { call, announced, stepped, judged: false };
    calls.set(id, seen);
    return seen;
  }

  async function emit(events: Translated['events']): Promise<void> {
    for (const event of events) {
      if (host.signal.aborted) return;
      const behind = host.emit(event);
      if (behind) await untilAborted(behind, host.signal);
      if (event.type === 'usage') {
        isStepping = false;
        for (const { stepped } of calls.values()) stepped.resolve();
      }
      if (event.type === 'tool_call_start') see(event.data.toolCallId).call.name = event.data.tool;
      if (event.type !== 'tool_call_end') continue;
      const { call, announced } = see(event.data.toolCallId);
      call.input = event.data.input;
      announced.resolve();
    }
  }

  /** What the CLI ran, or refused by itself. */
  async function settle(results: Translated['results']): Promise<void> {
    for (const { toolCallId, text, isError } of results) {
      const { call, judged } = see(toolCallId);
      if (host.signal.aborted) return;
      if (!judged && !isError && !call.name.startsWith('mcp__')) marks.onUngated(call.name);
      // One that never came to the gate has not run. What could not run anyway, the host refuses in its own words.
      if (!judged && (typeof call.input === 'string' || !isOffered(host, call.name)))
        await host.tools.call(call);
      else await host.ended({ toolCallId, tool: call.name, text, isError });
      calls.delete(toolCallId);
      isStepping ||= calls.size === 0;
    }
  }

  /** Gives the call once the log has it, and all that came before. */
  async function announced(id: string): Promise<ToolCall> {
    const seen = see(id);
    seen.judged = true;
    await withTimeout(announceTimeoutMs, seen.announced.promise);
    hasRunCommands ||= commandTools.has(seen.call.name);
    await withTimeout(stepTimeoutMs, seen.stepped.promise);
    await untilTaken();
    return seen.call;
  }

  async function runCall(call: ToolCall): Promise<ToolOutcome> {
    const refuse = (text: string) => ({ toolCallId: call.id, tool: call.name, text, isError: true });
    const made = await announced(call.id);
    if (host.signal.aborted) return refuse('The call was not run: the turn was interrupted.');
    if (made.name !== call.name || !isDeepStrictEqual(made.input, call.input))
      return refuse('The call was not run: it differs from the call of the model.');
    const verdict = await host.judge(call);
    const settled = verdict.decision === 'ask' ? await verdict.answered() : verdict;
    if (settled.decision === 'deny') return refuse(settled.reason);
    // A person takes their time; the CLI that asked may be gone.
    return isOver ? refuse('The call was not run: the turn has ended.') : host.tools.run(call);
  }

  return {
    host,
    runCall,
    ended: ended.promise,
    onExit: ended.resolve,
    hasBegun: () => hasBegun,
    hasRunCommands: () => hasRunCommands,
    announced: async (id) => (await announced(id)).input,
    emitUncounted() {
      if (isStepping) void host.emit({ type: 'usage', data: { inputTokens: 0, outputTokens: 0 } });
    },
    async take(message) {
      if (!hasBegun && !isOutOfTurn(message)) hasBegun = isStepping = true;
      taking = take(message);
      await taking;
      taking = undefined;
    },
  };
}

/** What it says about itself, at times after the end of a turn. A turn begins with `init`. */
function isOutOfTurn(message: unknown): boolean {
  if (!isFields(message)) return true;
  const { type, subtype } = message;
  return type === 'command_lifecycle' || type === 'keep_alive' || (type === 'system' && subtype !== 'init');
}

function isOffered(host: EngineHost, name: string): boolean {
  return !name.startsWith('mcp__') || host.tools.list().some((tool) => tool.name === name);
}
