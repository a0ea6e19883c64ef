// The part of the Engine port for conversations that an engine's own program keeps on disk, whoever began them. It
// only reads: nothing here may change a transcript.
import type { Content } from '../protocol/content/content.ts';
import type { Failure } from '../protocol/error.ts';
import type { EventDraft } from '../protocol/event.ts';

export interface Transcripts {
  /**
   * Looks for transcripts, the one changed last first, and opens only those that `isKnown` does not know as they are
   * now. A folder that cannot be read is a `problem`, one that is not there holds nothing. Never throws.
   */
  list(look: TranscriptLook): AsyncIterable<TranscriptFinding>;
  /**
   * Reads on from `cursor`, piece by piece, in bounded memory. What the engine itself had written for this session is
   * passed over: it is in the log already. What cannot be read is a fact too. Throws only when the file cannot be read.
   */
  read(reading: TranscriptReading): AsyncIterable<TranscriptPiece>;
  /** Where transcripts of a directory would lie, or one of them, for `list`. */
  placeOf(cwd: string, token?: string): string | undefined;
  /**
   * Calls back with a place whenever something may have changed there, until `signal` aborts. Says whether all there
   * is is watched; even then a change may be missed.
   */
  watch?(onChange: (place: string) => void, signal: AbortSignal): Promise<boolean>;
}

export interface TranscriptLook {
  /** Where to look: what `placeOf` and `watch` gave. Everywhere when absent. */
  places?: readonly string[];
  isKnown(stamp: TranscriptStamp): boolean;
  signal: AbortSignal;
}

/** One file as it is now. */
export interface TranscriptStamp {
  /** The engine's own resume id. */
  token: string;
  path: string;
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

export type TranscriptFinding =
  | { kind: 'known'; stamp: TranscriptStamp }
  | { kind: 'found'; stamp: TranscriptStamp; summary: TranscriptSummary }
  /** Nobody has said anything in it, or it is not for people: not to be listed. */
  | { kind: 'silent'; stamp: TranscriptStamp }
  /** A file that was looked for and is not there. */
  | { kind: 'gone'; path: string }
  | { kind: 'problem'; path: string; code: string; message: string };

export interface TranscriptSummary {
  title: string;
  cwd: string;
  /** `provider/model` of the last answer. */
  model?: string;
  createdAt: string;
  updatedAt: string;
  /** Just begun by a Toolyard, perhaps by this one: its token may not be stored yet. */
  isMaybeOurs?: true;
}

export interface TranscriptReading {
  token: string;
  path: string;
  /** The session whose log it is read for. */
  sessionId: string;
  /** Of the last piece that was stored; absent before the first. JSON, and the engine's own. */
  cursor?: unknown;
  /** What the engine's last checkpoint said of itself. */
  state?: unknown;
  signal: AbortSignal;
}

/** Facts that belong into one commit with the cursor after them. */
export interface TranscriptPiece {
  facts: TranscriptFact[];
  cursor: unknown;
  /** What the engine must know of this when it goes on; replaces its last state. */
  state?: unknown;
}

/** `at` is an ISO time. */
export type TranscriptFact =
  /** A person's words: they begin a turn, unless they were added to the one under way. */
  | { kind: 'message'; at: string; content: Content; isAdded?: true }
  | { kind: 'event'; at: string; event: TranscriptEvent }
  | { kind: 'end'; at: string; outcome: 'completed' | 'interrupted' }
  | { kind: 'end'; at: string; outcome: 'failed'; error: Failure }
  /** Bytes that could not be read, told to people with where they lie. */
  | { kind: 'damage'; at: string; offset: number; length: number; message: string };

export type TranscriptEvent = EventDraft<
  | 'text_delta'
  | 'thinking_delta'
  | 'tool_call_start'
  | 'tool_call_end'
  | 'tool_result'
  | 'usage'
  | 'raw'
  | 'error'
>;
