// What a crash test remembers of a home: what was promised to clients, what they saw, and what is there in the end.
// Types only.
import type { ToolCallState, TurnState } from '@toolyard/sdk';

/** Something the server said yes to. */
export type Ack =
  | { kind: 'session'; sessionId: string }
  | { kind: 'message'; sessionId: string; turnId: string; seq: number; text: string }
  | { kind: 'retry'; sessionId: string; turnId: string };

/** One event as it came over the line, byte for byte. */
export interface Sighting {
  sessionId: string;
  seq: number;
  data: string;
}

export interface TurnRow {
  id: string;
  sessionId: string;
  state: TurnState;
  retryOf: string | null;
  /** The failure it ended with. */
  code: string | null;
}

export interface CallRow {
  turnId: string;
  callId: string;
  sessionId: string;
  state: ToolCallState;
}

export interface Rows {
  turns: TurnRow[];
  calls: CallRow[];
}

/** One run of the tool with an effect outside the process. */
export interface Effect {
  sessionId: string;
  turnId: string;
  callId: string;
}

/** What clients remember. */
export interface Memory {
  acks: Ack[];
  /** For each reader, what it saw in the order it came. */
  readers: Sighting[][];
  /** Answers that no kill can explain. */
  surprises: string[];
}

/** What the home holds once everything has come to rest. */
export interface Remains extends Rows {
  sessions: { id: string; status: string }[];
  /** Each session's whole log, in the order it was read. */
  log: Map<string, Sighting[]>;
  ledger: Effect[];
}

export interface History extends Memory, Remains {
  /** The rows as each kill left them, where somebody looked. */
  kills: Rows[];
}

export interface Violation {
  rule: string;
  detail: string;
}
