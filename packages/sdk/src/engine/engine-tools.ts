// Tools as an engine meets them: what it may offer, what a model calls, and what comes of it.

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
