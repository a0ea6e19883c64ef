// `models list`: the models that a session can use, with context window, price, and why one is not usable now.
import type { ModelInfo } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createServerLink } from '../connection/server-link.ts';
import { writeTable } from '../terminal/table.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

export async function listModels(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const { provider } = call.options;
  const link = await createServerLink(call);
  const listed = await link.ask((client) => client.models.list(provider ? { provider } : {}));
  if (call.flags.has('json')) {
    out.line(JSON.stringify(listed));
    return 0;
  }
  const { items, pricesAsOf, rehearsing } = listed;
  if (items.length === 0) out.line('No models.');
  else writeModels(out, items);
  for (const reason of new Set(items.flatMap(({ reason }) => reason ?? []))) err.line(toLine(reason));
  if (rehearsing) err.line('The server is in rehearsal: the scripted model answers in place of all of them.');
  err.line(`Prices are in US dollars per million tokens, as of ${pricesAsOf}.`);
  return 0;
}

function writeModels(writer: TextWriter, items: readonly ModelInfo[]): void {
  const rows = items.map(({ name, contextWindow, price, usable }) => [
    name,
    usable ? 'yes' : 'no',
    contextWindow === null ? 'unknown' : toShort(contextWindow),
    ...[price?.input, price?.output, price?.cacheRead].map(toPrice),
    price?.above ? `higher above ${toShort(price.above.tokens)}` : '',
  ]);
  writeTable(writer, ['MODEL', 'USABLE', 'WINDOW', 'INPUT', 'OUTPUT', 'CACHED', ''], rows);
}

/** An unknown price is never shown as zero. */
function toPrice(dollars: number | null | undefined): string {
  return typeof dollars === 'number' ? `$${dollars}` : 'unknown';
}

function toShort(tokens: number): string {
  return tokens >= 1_000_000
    ? `${Number((tokens / 1_000_000).toFixed(2))}M`
    : `${Math.round(tokens / 1_000)}k`;
}
