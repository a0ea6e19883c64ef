// The Engine port: what drives a model through a turn. An engine knows only this file; an optional method's
// presence is the capability. Failures of a model are outcomes, never throws.

import type { ProviderType } from '../protocol/config/provider.ts';
import type { Content } from '../protocol/content/content.ts';
import type { Failure } from '../protocol/error.ts';
import type { EventDraft } from '../protocol/event.ts';
import type { Answer, Asked } from '../protocol/question.ts';
import type { PermissionMode } from '../protocol/session.ts';
import type { Effect, Tier } from '../protocol/tool-info.ts';
import type { CommandBounds, NoCommands } from './spawn.ts';
import type { Transcripts } from './transcripts.ts';

export interface Engine {
  /** What a session's `engine` says. */
  readonly id: string;
  /** Tools the engine brings itself; each call must pass `judge`. */
  readonly nativeTools: readonly NativeTool[];
  /** Starting takes a while: worth doing when the session is created, before its first message. */
  readonly startsEarly?: boolean;
  /** It asks for each step of its model, by `host.step`. For others the host reckons itself, at each call of a tool. */
  readonly asksForSteps?: true;
  /** It speaks with a program of its own, and what they say can be traced. */
  readonly hasWire?: true;
  /** Throws `unknown_model` for a model it could never drive. Without it, whatever is named may be tried. */
  checkModel?(model: string): void;
  /** Prepares one session. Cheap: no model is called before the first prompt. */
  start(spec: EngineSpec): Promise<EngineSession>;
  /** A session like this may be opened soon: whatever can be made ready may be. */
  expect?(spec: EngineSpec): void;
  /** Frees what is kept beside sessions. */
  close?(): Promise<void>;
  /** The conversations its own program keeps on disk. */
  readonly transcripts?: Transcripts;
  /**
   * What a session is to be started with that goes on from a part of another's conversation; its entries are copied
   * beside it. Changes nothing of the other one. Without it, entries are all that an engine remembers by.
   */
  fork?(forking: Forking): Promise<Omit<Resume, 'entries'>>;
}

export interface Forking {
  /** Of the conversation that is forked. */
  token?: string;
  state?: unknown;
  /** The last message that is kept; none when nothing is. */
  last?: { content: Content; entries: readonly unknown[]; isAnswered: boolean };
  /** The messages that are left out, in order: when each was said, and what was stored for it. */
  leftOut: readonly { at: string; entries: readonly unknown[] }[];
  /** ISO time. */
  at: string;
}

/** A tool of an engine's own, as it is judged. Inputs are whatever a model sent: nothing here may throw. */
export interface NativeTool {
  /** `<engine>:<tool>`. */
  name: string;
  effect: Effect;
  tier?: Tier;
  /** Why what it runs cannot be confined on this computer. Then it is there in `full-control` only. */
  unconfined?: string;
  /** The files a call touches, as the input names them. */
  paths?(input: unknown): TouchedPath[];
  /** What "the same call" means for a grant; by default the tool's name for reads and the whole input for the rest. */
  grantKey?(input: unknown): string | undefined;
}

export interface TouchedPath {
  path: string;
  access: 'read' | 'write';
}

export interface EngineSpec {
  sessionId: string;
  /** `provider/model`. */
  model: string;
  /** The system prompt. */
  instructions: string;
  cwd: string;
  /** Model steps allowed in one turn; past it the outcome is `limit`. */
  maxSteps: number;
  /** The host tools of this session when it starts. */
  tools: readonly ToolSpec[];
  /** Further servers of tools. One that is external is refused: the harness connects those itself, behind its gate. */
  servers?: readonly ToolServer[];
  /** Which of its own tools the engine may offer, by name. */
  nativeTools: readonly string[];
  /** How far commands reach that its own tools start. Its directory and no host, unless it says more. */
  commands?: CommandBounds | NoCommands | 'everything';
  /** What `checkpoint` has stored so far, in order. Absent in a new session. */
  resume?: Resume;
}

export interface EngineSession {
  /**
   * Drives one turn to its end. Never rejects for a model's fault; resolves soon after `host.signal` aborts, with
   * outcome `interrupted`. Called again only after it has settled.
   */
  prompt(input: TurnInput, host: EngineHost): Promise<TurnOutcome>;
  /** Frees what the session holds. Safe to call twice and during a prompt. */
  close(): Promise<void>;
  /** Uses another model from the next step on. Without it, the session is closed and resumed. */
  setModel?(model: string): Promise<void>;
  /** How full the model's window is. */
  contextUsage?(): Promise<ContextUsage | undefined>;
}

export interface ContextUsage {
  usedTokens: number;
  windowTokens: number;
  /** What takes the room. */
  parts: { name: string; tokens: number }[];
}

export type TurnInput =
  | { kind: 'message'; content: Content }
  /** Go on from the checkpoint: `settled` holds the results that the stored transcript may be missing. */
  | { kind: 'continue'; settled: SettledCall[] };

/** A call of the turn that is gone on with, and what became of it. The transcript may not even hold the call. */
export interface SettledCall extends ToolOutcome {
  input?: unknown;
}

export type TurnOutcome = (
  | { outcome: 'completed' }
  | { outcome: 'interrupted' }
  | { outcome: 'limit'; error: Failure }
  | { outcome: 'failed'; error: Failure }
) & {
  /** What the engine itself says the turn cost, when it knows better than a price list. */
  costUsd?: number;
};

/** What the harness lends an engine for one turn. After the turn has ended every member refuses quietly. */
export interface EngineHost {
  tools: HostTools;
  /**
   * Decides on one call before it runs, a host tool's or the engine's own. An engine's own tool may run once this
   * says `allow`, and `ended` must follow; a host tool then runs by `tools.run`. Never rejects.
   */
  judge(call: ToolCall): Promise<Verdict>;
  /** How a call that the harness did not run itself ended; of calls it knows as ended it takes no notice. */
  ended(outcome: ToolOutcome): Promise<void>;
  /**
   * Before a step of the model: reserves what it may cost. Answers with how much the model may say, or with the limit
   * that has been reached: then no step may follow, and the outcome is `limit`. May wait for others, or for a person.
   */
  step(need: StepNeed): Promise<{ maxOutputTokens: number } | { limit: Failure }>;
  /** The session's permission mode as it is now. The harness judges by it; an engine may behave by it. */
  mode(): Promise<PermissionMode>;
  /**
   * Asks the person of this session; waits until somebody answers, the time is up or the turn ends. With the id of the
   * call that asks, the answer outlives a restart: it becomes that call's result.
   */
  ask(question: Asked): Promise<Replied>;
  /**
   * The only way up. Order is kept. Await it: it returns a promise only when readers or the disk are behind, and
   * an engine that does not wait would fill memory.
   */
  emit(event: EngineEvent): Promise<void> | undefined;
  /**
   * Stores progress so that the turn can go on after a crash. Resolves when durable; need not be awaited, since a
   * later checkpoint, tool call or the turn's end is never stored before it.
   */
  checkpoint(step: Checkpoint): Promise<void>;
  signal: AbortSignal;
}

export interface StepNeed {
  inputTokens: number;
  /** The most the model may say. */
  maxOutputTokens: number;
}

/** What an engine may emit; the rest of the log is the harness's to write. */
export type EngineEvent =
  | EventDraft<
      'text_delta' | 'thinking_delta' | 'tool_call_start' | 'tool_call_delta' | 'tool_call_end' | 'raw'
    >
  | { type: 'usage'; data: Usage };

/**
 * Tokens of one model step; the harness knows the price. Nothing but zeros: the model was called and nobody knows what it
 * used, as when its answer broke off. That is told, too, and after an abort: else the step would pass for free.
 */
export interface Usage {
  /** All that was read, cached or not. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
}

/** How a question ended. */
export type Replied = { state: 'answered'; answer: Answer } | { state: 'expired' | 'cancelled' };

export type Verdict =
  | Settled
  /** A person is asked; `answered` waits for them as long as it takes. */
  | { decision: 'ask'; answered(): Promise<Settled> };

export type Settled =
  /** Run it with this input: a hook may have narrowed what the model sent. */
  { decision: 'allow'; input: unknown } | { decision: 'deny'; reason: string };

/** One step of progress. Small `state` replaces the last one; `append` grows the stored transcript. JSON only. */
export interface Checkpoint {
  /** A foreign engine's own resume id. */
  token?: string;
  state?: unknown;
  append?: unknown[];
}

export interface Resume {
  token?: string;
  state?: unknown;
  entries: unknown[];
}

export interface HostTools {
  /** The tools this session may call, in a stable order. */
  list(): readonly ToolSpec[];
  /** Judges and runs one call. Never rejects: every failure is an outcome the model can read. */
  call(call: ToolCall): Promise<ToolOutcome>;
  /** Runs a call that `judge` has allowed, once and with that input; refuses any other. Never rejects. */
  run(call: ToolCall): Promise<ToolOutcome>;
}

export interface ToolSpec {
  /** Full name, `mcp__<server>__<tool>`. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Where tools come from, as a session may name it. */
export type ToolServer =
  | { type: 'in-process'; tools: readonly ToolSpec[] }
  | {
      type: 'stdio';
      name: string;
      command: string;
      args?: readonly string[];
      env?: Readonly<Record<string, string>>;
    }
  | { type: 'http' | 'sse'; name: string; url: string; headers?: Readonly<Record<string, string>> };

export interface ToolCall {
  /** Unique within the turn. */
  id: string;
  name: string;
  /** Whatever the model sent; the toolbox parses it. */
  input: unknown;
}

export interface ToolOutcome {
  toolCallId: string;
  tool: string;
  /** What the model reads. */
  text: string;
  /** The structured output of a call that worked. */
  output?: unknown;
  isError: boolean;
  /** The text was cut; the whole is kept under `outputId`. */
  truncated?: boolean;
  outputId?: string;
  /** The call was under way when the server died: it may or may not have had its effect. */
  outcome?: 'unknown';
}

/**
 * What an engine needs to reach one model. The harness finds it in the environment and the person's configuration; the
 * engine reads neither.
 */
export interface ModelAccess {
  /** As `provider/model` names it. */
  provider: string;
  type: ProviderType;
  /** The model's name at the provider. */
  model: string;
  /** As programs of that type write it: without `/v1` for Anthropic, with it for OpenAI, with `/v1beta` for Google. */
  baseUrl: string;
  apiKey?: string;
  /** In place of a key: sent as a bearer token. */
  authToken?: string;
  /** Tokens the model can read, when known. */
  window?: number;
  /** Tokens it may answer with, when known. */
  maxOutput?: number;
  /** What a person checks when the key or the address is wrong: names of variables or keys of the configuration. */
  settings: { key: string; address: string };
  /** What a person may have meant, should the provider not know the model. */
  hint?: string;
}

/** Said by whoever counts the steps of a turn: its engine, or the harness where a turn goes on after a restart. */
export function stepLimit(maxSteps: number | string): Failure {
  const message = `The turn stopped at its limit of ${maxSteps} model steps (limits.maxSteps). Send a message to continue.`;
  return { code: 'step_limit', message };
}
