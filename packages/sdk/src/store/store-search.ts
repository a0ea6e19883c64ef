// The part of the Store port for full-text search. Words are those of search-terms.ts; what is indexed stands for the
// text, which is read from the log.
import type { PlacedEvent } from '../protocol/event.ts';

export interface SearchReads {
  /**
   * What holds all phrases, titles first, then texts, the newest first. The last word of the last phrase may be the
   * beginning of a word. `after` is the place of the last one already seen.
   */
  search(wanted: SearchWanted): Promise<FoundText[]>;
  /** How far the log is indexed. */
  indexed(): Promise<Indexed>;
  /**
   * Where something becomes worth indexing: messages and ends of turns, past one position and up to another; the first of
   * them, when together they are more than `maxBytes`, and one at least.
   */
  edges(after: number, through: number, maxBytes: number): Promise<PlacedEvent[]>;
}

export interface SearchWrites {
  /** Makes texts findable, in place of what was indexed there before. A text that is gone is passed over. */
  index(texts: readonly IndexedText[]): Promise<void>;
  setIndexed(indexed: Indexed): Promise<void>;
}

export interface SearchWanted {
  /** Not empty, and none of them is. */
  phrases: readonly (readonly string[])[];
  limit: number;
  after?: number | undefined;
}

export interface FoundText {
  sessionId: string;
  /** Number of the event it begins with; 0 is the session's title. */
  seq: number;
  /** For `after`. */
  place: number;
}

export interface IndexedText {
  sessionId: string;
  /** As in `FoundText`. */
  seq: number;
  text: string;
}

export interface Indexed {
  /** Everything up to this position. */
  position: number;
  /** The titles of sessions that were there before there was an index. */
  titles: boolean;
}
