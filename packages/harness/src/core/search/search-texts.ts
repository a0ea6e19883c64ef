// What of the log can be found: the words of people and agents, and the calls with what they were given. Results are
// not: they are long, and rarely what somebody remembers. Pure but for the reading.
import { setImmediate } from 'node:timers/promises';
import { type Event, type IndexedText, type PlacedEvent, type StoreReads, toText } from '@toolyard/sdk';
import { pageBytes, readBackwards } from '../log/log-pages.ts';

/** Small, because events may be large: a page of a flood is garbage at once, and much of it is memory that stays. */
const pageLength = 32;
/** Of one text; more would take the server's time, and words that far behind are not what a message is about. */
const maxTextLength = 100_000;
const maxCallLength = 4_000;

/** What an edge of the log makes findable: a message itself, the end of a turn all that was said in it. */
export async function toTexts(reads: StoreReads, { event }: PlacedEvent): Promise<IndexedText[]> {
  const { sessionId, seq } = event;
  if (event.type === 'user_message') {
    return [{ sessionId, seq, text: toText(event.data.content).slice(0, maxTextLength) }];
  }
  if (event.type !== 'turn_end' || event.data.withdrawn) return [];
  const start = await findStart(reads, event);
  return start === undefined ? [] : collect(reads, { sessionId, after: start, through: seq });
}

/** The number of the event that began this turn; nothing for a call that somebody else made. */
async function findStart(
  reads: StoreReads,
  { sessionId, seq, data: { turnId } }: Event<'turn_end'>,
): Promise<number | undefined> {
  for await (const event of readBackwards(reads, sessionId, seq - 1)) {
    if (event.type !== 'turn_start' || event.data.turnId !== turnId) continue;
    return event.data.toolCallId === undefined ? event.seq : undefined;
  }
  return undefined;
}

interface Range {
  sessionId: string;
  after: number;
  through: number;
}

async function collect(reads: StoreReads, { sessionId, after, through }: Range): Promise<IndexedText[]> {
  const texts = createTexts(sessionId);
  for (let at = after; at < through; ) {
    const page = await reads.events(sessionId, at, Math.min(pageLength, through - at), pageBytes);
    if (page.length < pageLength) await setImmediate();
    for (const event of page) texts.add(event);
    at = page.at(-1)?.seq ?? through;
  }
  return texts.all();
}

/** Gathers the deltas of an answer into one text, which begins where the first of them stands. */
export function createTexts(sessionId: string) {
  const texts: IndexedText[] = [];
  const tools = new Map<string, string>();
  let answer: IndexedText | undefined;

  function addWords({ seq, data }: Event<'text_delta'>): void {
    if (!answer) {
      answer = { sessionId, seq, text: '' };
      texts.push(answer);
    }
    if (answer.text.length < maxTextLength) answer.text += data.text;
  }

  function addCall({ seq, data }: Event<'tool_call_end'>): void {
    texts.push({ sessionId, seq, text: toCallText(tools.get(data.toolCallId) ?? '', data.input) });
  }

  return {
    add(event: Event): void {
      switch (event.type) {
        case 'text_delta':
          addWords(event);
          return;
        // They may come in the middle of an answer.
        case 'usage':
        case 'session_status':
        case 'tool_progress':
          return;
        case 'tool_call_start':
          tools.set(event.data.toolCallId, event.data.tool);
          break;
        case 'tool_call_end':
          addCall(event);
          break;
        // `toTexts` indexes a message by itself. The others are not indexed.
        case 'user_message':
        case 'turn_start':
        case 'turn_end':
        case 'thinking_delta':
        case 'tool_call_delta':
        case 'tool_result':
        case 'grant_used':
        case 'approval_required':
        case 'approval_resolved':
        case 'question_required':
        case 'question_resolved':
        case 'agent_update':
        case 'raw':
        case 'error':
          break;
        default:
          event satisfies never;
      }
      answer = undefined;
    },
    /** The next delta would be added to the last text. */
    isGrowing: () => answer !== undefined && answer.text.length < maxTextLength,
    all: () => texts,
  };
}

export function toCallText(tool: string, input: unknown): string {
  const given = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  // Written as JSON, a line break would be a letter to whoever looks for words.
  return `${tool}\n${given.replace(/\\[nrt]/g, ' ')}`.slice(0, maxCallLength);
}
