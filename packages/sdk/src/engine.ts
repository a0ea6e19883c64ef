// The Engine port: what drives a model through a turn. An engine knows only this file; an optional method's
// presence is the capability. Failures of a model are outcomes, never throws.
import type { Content } from './protocol/content.ts';
import type { Failure } from './protocol/error.ts';
import type { EventDraft } from './protocol/event.ts';
import type { Answer, Asked } from './protocol/question.ts';
import type { Effect } from './protocol/tool-info.ts';

export interface Engine {
  /** What a session's `engine` says. */
  readonly id: string;
  /** Tools the engine brings itself; each call must pass `judge`. */
  readonly nativeTools: readonly NativeTool[];
  /** Prepares one session. Cheap: no model is called before the first prompt. */
  start(spec: EngineSpec): Promise<EngineSession>;
}

export interface NativeTool {
  name: string;
  effect: Effect;
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
}

export type TurnInput =
  | { kind: 'message'; content: Content }
  /** Go on from the checkpoint: `settled` holds the results that the stored transcript may be missing. */
  | { kind: 'continue'; settled: ToolOutcome[] };

export type TurnOutcome =
  | { outcome: 'completed' }
  | { outcome: 'interrupted' }
  | { outcome: 'limit'; error: Failure }
  | { outcome: 'failed'; error: Failure };

/** What the harness lends an engine for one turn. After the turn has ended every member refuses quietly. */
export interface EngineHost {
  tools: HostTools;
  /** Decides on one call of an engine's own tool, before it runs. */
  judge(call: ToolCall): Promise<Verdict>;
  /** Asks the person of this session; waits until somebody answers, the time is up or the turn ends. */
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

/** What an engine may emit; the rest of the log is the harness's to write. */
export type EngineEvent =
  | EventDraft<
      'text_delta' | 'thinking_delta' | 'tool_call_start' | 'tool_call_delta' | 'tool_call_end' | 'raw'
    >
  | { type: 'usage'; data: Usage };

/** Tokens of one model step; the harness knows the price. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

export interface HostTools {
  /** The tools this session may call, in a stable order. */
  list(): ToolSpec[];
  /** Runs one call through the toolbox. Never rejects: every failure is an outcome the model can read. */
  call(call: ToolCall): Promise<ToolOutcome>;
}

export interface ToolSpec {
  /** Full name, `mcp__<server>__<tool>`. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

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

/** How a question ended. */
export type Replied = { state: 'answered'; answer: Answer } | { state: 'expired' | 'cancelled' };

export type Verdict = { decision: 'allow' } | { decision: 'deny'; reason: string };

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
