// What of the log can be found: the words of people and agents, and the calls with what they were given. Results are
// not: they are long, and rarely what somebody remembers. Pure but for the reading.
import { setImmediate } from 'node:timers/promises';
import { type Event, type IndexedText, type PlacedEvent, type StoreReads, toText } from '@toolyard/sdk';
import { pageBytes, readBack } from '../log/log-pages.ts';

/** Small, because events may be large: a page of a flood is garbage at once, and much of it is memory that stays. */
const pageLength = 32;
/** Of one text; more would take the server's time, and words that far behind are not what a message is about. */
const longestText = 100_000;
const longestCall = 4_000;

/** What an edge of the log makes findable: a message itself, the end of a turn all that was said in it. */
export async function toTexts(reads: StoreReads, { event }: PlacedEvent): Promise<IndexedText[]> {
  const { sessionId, seq } = event;
  if (event.type === 'user_message') {
    return [{ sessionId, seq, text: toText(event.data.content).slice(0, longestText) }];
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
  for await (const event of readBack(reads, sessionId, seq - 1)) {
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
  let run: IndexedText | undefined;
  return {
    add(event: Event): void {
      if (event.type === 'text_delta') {
        if (!run) {
          run = { sessionId, seq: event.seq, text: '' };
          texts.push(run);
        }
        if (run.text.length < longestText) run.text += event.data.text;
        return;
      }
      if (isBreak(event)) run = undefined;
      if (event.type === 'tool_call_start') tools.set(event.data.toolCallId, event.data.tool);
      if (event.type === 'tool_call_end') {
        const tool = tools.get(event.data.toolCallId) ?? '';
        texts.push({ sessionId, seq: event.seq, text: toCallText(tool, event.data.input) });
      }
    },
    all: () => texts,
  };
}

/** What is said after it is another text. */
export function isBreak({ type }: Event): boolean {
  return type !== 'text_delta' && type !== 'usage' && type !== 'session_status' && type !== 'tool_progress';
}

export function toCallText(tool: string, input: unknown): string {
  const given = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  // Written as JSON, a line break would be a letter to whoever looks for words.
  return `${tool}\n${given.replace(/\\[nrt]/g, ' ')}`.slice(0, longestCall);
}
