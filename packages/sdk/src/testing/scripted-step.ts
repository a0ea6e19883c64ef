// The words a script for the scripted engine is written in. Types only.
import type { ToolCall, ToolOutcome } from '../engine/engine.ts';
import type { Failure } from '../protocol/error.ts';

/** One thing the scripted model does. A message may hold several; calls of one message run side by side. */
export type Step =
  | { text: string }
  | { thinking: string }
  | { calls: { tool: string; input: unknown }[] }
  | { native: { tool: string; input: unknown } }
  | { pauseMs: number }
  | { untilAborted: true }
  /** Waits for this, or for the end of the turn. */
  | { until: Promise<unknown> }
  | { fail: Failure }
  /** A broken engine: `prompt` rejects. */
  | { throw: string };

/** What a script sees when the model is to speak. */
export interface ScriptedTurn {
  /** The message this turn answers. */
  text: string;
  /** How many times the model has spoken in this turn. */
  step: number;
  /** What came of the calls of this turn, oldest first. */
  outcomes: ToolOutcome[];
  /** Every message of the conversation, this one included. */
  history: string[];
}

/** What the model said in one step. */
export interface ScriptedMessage {
  text: string;
  calls: ToolCall[];
  /** Ids of the calls that are the engine's own. */
  native: string[];
}
