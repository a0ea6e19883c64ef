// One turn in the CLI: what it says becomes events, what it ran is told to the host, and its result ends the turn.
import { type EngineHost, type ToolCall, type ToolOutcome, untilAborted } from '@toolyard/sdk';
import { isFields } from './foreign.ts';
import type { GatedTurn } from './gate.ts';
import type { Gone } from './live.ts';
import type { Translated, Translation } from './translate.ts';
import { within } from './within.ts';

/** A call is announced on the same pipe as its hook and before it; only a broken CLI makes us wait this long. */
const announceWithinMs = 5_000;
/** The model may go on with further calls; the first need not wait for all of them. */
const stepWithinMs = 250;
const commandTools = new Set(['claude:Bash', 'claude:PowerShell']);

export interface OpenTurn extends GatedTurn {
  /** Takes the next message. Resolves when the log has it. */
  take(message: unknown): Promise<void>;
  /** Runs a host tool for the CLI. */
  runCall(call: ToolCall): Promise<ToolOutcome>;
  /** The process is gone: the turn ends with that, unless it has ended. */
  lose(gone: Gone): void;
  /** Has the CLI said anything of this turn? */
  hasBegun(): boolean;
  /** Was a command let through, which may have left processes behind? */
  hasRunCommands(): boolean;
  readonly ended: Promise<End | Gone>;
}

export type End = NonNullable<Translated['ended']>;

export interface TurnMarks {
  onToken(token: string): void;
  /** The newest entry of the CLI's own transcript. */
  onEntry(uuid: string): void;
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
  const ended = Promise.withResolvers<End | Gone>();
  let hasBegun = false;
  let hasRunCommands = false;
  const calls = new Map<string, SeenCall>();
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
      if (event.type === 'usage') for (const { stepped } of calls.values()) stepped.resolve();
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
      // One that never came to the gate has not run. What could not run anyway, the host refuses in its own words.
      if (!judged && (typeof call.input === 'string' || !isOffered(host, call.name)))
        await host.tools.call(call);
      else await host.ended({ toolCallId, tool: call.name, text, isError });
      calls.delete(toolCallId);
    }
  }

  return {
    host,
    ended: ended.promise,
    lose: ended.resolve,
    hasBegun: () => hasBegun,
    hasRunCommands: () => hasRunCommands,
    async announced(id) {
      const seen = see(id);
      seen.judged = true;
      await within(announceWithinMs, seen.announced.promise);
      hasRunCommands ||= commandTools.has(seen.call.name);
      await within(stepWithinMs, seen.stepped.promise);
      await untilTaken();
      return seen.call.input;
    },
    async take(message) {
      hasBegun ||= !isAside(message);
      taking = take(message);
      await taking;
      taking = undefined;
    },
    async runCall(call) {
      await untilTaken();
      return host.tools.run(call);
    },
  };
}

/** What it says about itself, at times after the end of a turn. A turn begins with `init`. */
function isAside(message: unknown): boolean {
  if (!isFields(message)) return true;
  const { type, subtype } = message;
  return type === 'command_lifecycle' || type === 'keep_alive' || (type === 'system' && subtype !== 'init');
}

function isOffered(host: EngineHost, name: string): boolean {
  return !name.startsWith('mcp__') || host.tools.list().some((tool) => tool.name === name);
}
