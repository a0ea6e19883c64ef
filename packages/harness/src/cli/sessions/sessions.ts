// `sessions list` and `sessions show`.
import {
  type Client,
  emptyView,
  reduce,
  type Session,
  type SessionContext,
  type SessionView,
} from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { formatHowToAnswer } from '../decision-prompts/approval-prompt.ts';
import { writeTranscript } from '../run/transcript.ts';
import { toAge, toMoney } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

const maxPageSize = 500;

interface SessionList {
  items: Session[];
  next?: string | undefined;
}

export async function listSessions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const limit = toNumber(call.options.limit ?? '20', '--limit', { min: 1, max: 10_000 });
  const link = await createServerLink(call);
  const list = await link.ask((client) => collect(client, limit));
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) out.line(`No sessions yet. Open one: ${program} run "ping the server"`);
  else {
    const rows = list.items.map((session) => toRow(session, Date.now()));
    writeTable(out, ['ID', 'STATUS', 'UPDATED', 'TITLE', 'DIRECTORY'], rows);
    if (list.next) err.line(err.paint('dim', `There are more: --limit ${limit * 5}`));
  }
  return 0;
}

/** Reads page after page: one answer holds a limited number of sessions. */
async function collect(client: Client, limit: number): Promise<SessionList> {
  const items: Session[] = [];
  let next: string | undefined;
  do {
    const page = await client.sessions.list({
      limit: Math.min(limit - items.length, maxPageSize),
      ...(next && { after: next }),
    });
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < limit);
  return { items, ...(next && { next }) };
}

function toRow({ id, status, title, updatedAt, cwd }: Session, now: number): string[] {
  const words = toLine(title);
  return [
    id,
    status,
    toAge(updatedAt, now),
    words.length > 40 ? `${words.slice(0, 39)}…` : words || '–',
    cwd,
  ];
}

export async function showSession(call: Call): Promise<number> {
  const { out } = call.terminal;
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  const session = await link.ask((client) => client.sessions.get(id));
  const view = await link.ask((client) => readView(client, session));
  const context = call.flags.has('context')
    ? await link.ask((client) => client.sessions.context(id))
    : undefined;
  if (call.flags.has('json')) out.line(JSON.stringify({ session, ...(context ? { context } : { view }) }));
  else if (context) {
    writeFacts(out, session, view);
    writeContext(out, context);
  } else {
    writeFacts(out, session, view);
    writeTranscript(out, view, { numbers: call.flags.has('numbers') });
    for (const approval of view.approvals) out.line(`\n${formatHowToAnswer(approval)}`);
  }
  return 0;
}

/** The log up to the last event at the time the session was read. */
async function readView(client: Client, { id, lastSeq }: Session): Promise<SessionView> {
  let view = emptyView;
  if (lastSeq === 0) return view;
  for await (const event of client.sessions.events(id, { patienceMs: 0 })) {
    view = reduce(view, event);
    if (view.lastSeq >= lastSeq) break;
  }
  return view;
}

function writeFacts(writer: TextWriter, session: Session, { usage }: SessionView): void {
  const { inputTokens, outputTokens } = usage;
  const facts: [string, string][] = [
    ['session', session.id],
    ['title', session.title || '–'],
    ['status', session.status],
    ['role', session.role],
    ['engine', `${session.engine} · ${session.model} · ${session.mode}`],
    ['directory', session.cwd],
    ['used', `${inputTokens} tokens in, ${outputTokens} out · ${toMoney(session.costUsd)}`],
    ['updated', `${toAge(session.updatedAt, Date.now())} (${session.updatedAt})`],
    ...(session.forkedFrom
      ? [
          ['forked', `from ${session.forkedFrom.sessionId} at ${session.forkedFrom.seq}`] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ...(session.origin ? [['started', 'outside Toolyard'] satisfies [string, string]] : []),
    ...(session.taskSlug ? [['task', session.taskSlug] satisfies [string, string]] : []),
    ...(session.agentId
      ? [['agent', `${session.agentId}, depth ${session.depth ?? 0}`] satisfies [string, string]]
      : []),
    ...(session.warnings ?? []).map((warning): [string, string] => ['warning', warning]),
  ];
  for (const [name, text] of facts) writer.line(`${writer.paint('dim', name.padEnd(10))}${toLine(text)}`);
}

type Window = NonNullable<SessionContext['window']>;

/** Shows what the agent of a session gets: instructions, tools and context window. */
function writeContext(writer: TextWriter, context: SessionContext): void {
  const { engine, tools, nativeTools, window, instructions } = context;
  writer.line();
  writeNames(writer, 'tools', tools);
  if (nativeTools.length > 0) writeNames(writer, `of ${toLine(engine)}`, nativeTools);
  writeWindow(writer, engine, window);
  writer.line(`\n${writer.paint('dim', 'instructions')}\n${writer.safe(instructions).trim() || '–'}`);
}

function writeNames(writer: TextWriter, title: string, names: readonly string[]): void {
  const [first = 'none', ...rest] = names.map(toLine);
  writer.line(`${writer.paint('dim', title.padEnd(10))}${first}`);
  for (const name of rest) writer.line(`${' '.repeat(10)}${name}`);
}

function writeWindow(writer: TextWriter, engine: string, window: Window | undefined): void {
  const title = writer.paint('dim', 'window'.padEnd(10));
  if (!window) {
    const why =
      engine === 'claude'
        ? 'unknown: its process is not running'
        : 'unknown so far, or unknown for this model';
    writer.line(`${title}${why}`);
    return;
  }
  const { usedTokens, windowTokens, parts } = window;
  const share = windowTokens > 0 ? ` (${Math.round((usedTokens / windowTokens) * 100)} %)` : '';
  writer.line(`${title}${toCount(usedTokens)} of ${toCount(windowTokens)} tokens${share}`);
  const width = Math.max(0, ...parts.map(({ name }) => toLine(name).length));
  for (const { name, tokens } of parts) {
    const label = toLine(name).padEnd(width);
    writer.line(`${' '.repeat(10)}${writer.paint('dim', label)} ${toCount(tokens).padStart(9)}`);
  }
}

function toCount(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
