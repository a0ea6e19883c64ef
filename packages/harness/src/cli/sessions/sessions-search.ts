// `sessions search`: shows where the words were found, with the text around them.
import type { Client, SearchHit } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toAge } from '../terminal/lines.ts';
import { cut, type TextWriter, toLine } from '../terminal/terminal.ts';

const maxPageSize = 100;

interface Found {
  items: SearchHit[];
  next?: string | undefined;
  indexing?: true | undefined;
}

export async function searchSessions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const q = call.words.join(' ');
  const limit = toNumber(call.options.limit ?? '20', '--limit', { min: 1, max: 1_000 });
  const link = await createServerLink(call);
  const found = await link.ask((client) => collect(client, q, limit));
  if (call.flags.has('json')) out.line(JSON.stringify(found));
  else {
    for (const hit of found.items) writeHit(out, hit, Date.now());
    if (found.items.length === 0) out.line('Nothing found.');
    if (found.indexing) err.line(err.paint('dim', 'Older sessions are still being indexed. Try again soon.'));
    else if (found.next) err.line(err.paint('dim', `There is more: --limit ${limit * 5}`));
  }
  return 0;
}

/** Reads page after page: one answer holds a limited number of hits. */
async function collect(client: Client, q: string, limit: number): Promise<Found> {
  const items: SearchHit[] = [];
  let next: string | undefined;
  let indexing: true | undefined;
  do {
    const rest = Math.min(limit - items.length, maxPageSize);
    const page = await client.search({ q, limit: rest, ...(next && { after: next }) });
    items.push(...page.items);
    next = page.next;
    indexing ??= page.indexing;
  } while (next && items.length < limit);
  return { items, ...(next && { next }), ...(indexing && { indexing }) };
}

const names = { title: 'title', user: 'message', text: 'answer', tool: 'call' } as const;

function writeHit(
  writer: TextWriter,
  { sessionId, title, kind, seq, at, snippet }: SearchHit,
  now: number,
): void {
  const where = kind === 'title' ? sessionId : `${sessionId} #${seq}`;
  const about = cut(toLine(title) || '–', Math.max(20, writer.width() - where.length - 30));
  writer.line(`${where}  ${writer.paint('dim', `${names[kind]} · ${toAge(at, now)} ·`)} ${about}`);
  const words = snippet.map(({ text, hit }) =>
    hit ? writer.paint('bold', writer.safe(text)) : writer.safe(text),
  );
  if (kind !== 'title') writer.line(`  ${words.join('')}`);
}
