// Search over all sessions: the index says where, the log says what.
import {
  type Event,
  type FoundText,
  type SearchHit,
  type Session,
  type Store,
  toPhrases,
  toText,
} from '@toolyard/sdk';
import type { SearchIndex } from './search-index.ts';
import { toSnippet } from './search-snippet.ts';
import { createTexts, toCallText } from './search-texts.ts';

const pageLength = 64;
/** Of a message, as far as a snippet is looked for in it. */
const maxSearchedChars = 100_000;

export interface SearchPage {
  items: SearchHit[];
  next?: string;
  indexing?: true;
}

export type Search = (wanted: {
  q: string;
  limit: number;
  after?: string | undefined;
}) => Promise<SearchPage>;

export function createSearch({ store, index }: { store: Store; index: SearchIndex }): Search {
  const { reads } = store;

  async function toHit(found: FoundText, phrases: string[][]): Promise<SearchHit | undefined> {
    const session = await reads.session(found.sessionId);
    const text = session && (await readText(found, session));
    // It was deleted in between.
    if (!session || !text) return undefined;
    const { id: sessionId, title, cwd } = session;
    const { words, ...rest } = text;
    return { sessionId, title, cwd, ...rest, seq: found.seq, snippet: toSnippet(words, phrases) };
  }

  type Text = Pick<SearchHit, 'kind' | 'at'> & { words: string };

  async function readText({ sessionId, seq }: FoundText, session: Session): Promise<Text | undefined> {
    if (seq === 0) return { kind: 'title', at: session.updatedAt, words: session.title };
    const [event] = await reads.events(sessionId, seq - 1, 1);
    if (event?.type === 'user_message') {
      return { kind: 'user', at: event.at, words: toText(event.data.content).slice(0, maxSearchedChars) };
    }
    if (event?.type === 'tool_call_end') {
      const tool = await findTool(sessionId, event);
      return { kind: 'tool', at: event.at, words: toCallText(tool, event.data.input) };
    }
    if (event?.type !== 'text_delta') return undefined;
    return { kind: 'text', at: event.at, words: await readAnswer(event) };
  }

  /** From the first delta of an answer to its last, as far as it is indexed. */
  async function readAnswer({ sessionId, seq }: Event<'text_delta'>): Promise<string> {
    const texts = createTexts(sessionId);
    const answer = () => texts.all()[0]?.text ?? '';
    for (let after = seq - 1; ; ) {
      const page = await reads.events(sessionId, after, pageLength);
      if (page.length === 0) return answer();
      for (const event of page) {
        texts.add(event);
        if (!texts.isGrowing()) return answer();
        after = event.seq;
      }
    }
  }

  /** Its start stands a little before, unless much was written in between. */
  async function findTool(sessionId: string, call: Event<'tool_call_end'>): Promise<string> {
    const after = Math.max(0, call.seq - pageLength);
    for (const event of await reads.events(sessionId, after, call.seq - after)) {
      const isStart = event.type === 'tool_call_start' && event.data.toolCallId === call.data.toolCallId;
      if (isStart) return event.data.tool;
    }
    return '';
  }

  return async ({ q, limit, after }) => {
    const isComplete = await index.settle();
    const phrases = toPhrases(q);
    const found = phrases.length === 0 ? [] : await reads.search({ phrases, limit, after: toPlace(after) });
    const hits: SearchHit[] = [];
    for (const each of found) {
      const hit = await toHit(each, phrases);
      if (hit) hits.push(hit);
    }
    const last = found.at(-1);
    return {
      items: hits,
      ...(last && found.length === limit && { next: String(last.place) }),
      ...(!isComplete && { indexing: true }),
    };
  };
}

function toPlace(after: string | undefined): number | undefined {
  return after === undefined ? undefined : Number(after);
}
