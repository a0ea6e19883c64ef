// `sessions list` and `sessions show`.
import {
  type Client,
  emptyView,
  reduce,
  type Session,
  type SessionContext,
  type SessionView,
} from '@toolyard/sdk';
import { sayHowToAnswer } from '../asking/desk.ts';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createLink } from '../connection/link.ts';
import { writeTranscript } from '../run/transcript.ts';
import { toAge, toMoney } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { type Pen, toLine } from '../terminal/terminal.ts';

const largestPage = 500;

interface SessionList {
  items: Session[];
  next?: string | undefined;
}

export async function listSessions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const limit = toNumber(call.options.limit ?? '20', '--limit', { least: 1, most: 10_000 });
  const link = await createLink(call);
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

/** Pages through the list, since one answer holds only so many. */
async function collect(client: Client, limit: number): Promise<SessionList> {
  const items: Session[] = [];
  let next: string | undefined;
  do {
    const page = await client.sessions.list({
      limit: Math.min(limit - items.length, largestPage),
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
  const link = await createLink(call);
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
    for (const approval of view.approvals) out.line(`\n${sayHowToAnswer(approval)}`);
  }
  return 0;
}

/** The log as far as it had come when the session was read. */
async function readView(client: Client, { id, lastSeq }: Session): Promise<SessionView> {
  let view = emptyView;
  if (lastSeq === 0) return view;
  for await (const event of client.sessions.events(id, { patienceMs: 0 })) {
    view = reduce(view, event);
    if (view.lastSeq >= lastSeq) break;
  }
  return view;
}

function writeFacts(pen: Pen, session: Session, { usage }: SessionView): void {
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
    ...(session.origin ? [['begun', 'outside of Toolyard'] satisfies [string, string]] : []),
    ...(session.taskSlug ? [['task', session.taskSlug] satisfies [string, string]] : []),
    ...(session.agentId
      ? [['agent', `${session.agentId}, depth ${session.depth ?? 0}`] satisfies [string, string]]
      : []),
    ...(session.warnings ?? []).map((warning): [string, string] => ['warning', warning]),
  ];
  for (const [name, text] of facts) pen.line(`${pen.paint('dim', name.padEnd(10))}${toLine(text)}`);
}

type Window = NonNullable<SessionContext['window']>;

/** What the agent of a session is given, as a person reads it. */
function writeContext(pen: Pen, context: SessionContext): void {
  const { engine, tools, nativeTools, window, instructions } = context;
  pen.line();
  writeNames(pen, 'tools', tools);
  if (nativeTools.length > 0) writeNames(pen, `of ${toLine(engine)}`, nativeTools);
  writeWindow(pen, engine, window);
  pen.line(`\n${pen.paint('dim', 'instructions')}\n${pen.safe(instructions).trim() || '–'}`);
}

function writeNames(pen: Pen, title: string, names: readonly string[]): void {
  const [first = 'none', ...rest] = names.map(toLine);
  pen.line(`${pen.paint('dim', title.padEnd(10))}${first}`);
  for (const name of rest) pen.line(`${' '.repeat(10)}${name}`);
}

function writeWindow(pen: Pen, engine: string, window: Window | undefined): void {
  const title = pen.paint('dim', 'window'.padEnd(10));
  if (!window) {
    const why =
      engine === 'claude' ? 'not known: its process is not running' : 'not known yet, or not of this model';
    pen.line(`${title}${why}`);
    return;
  }
  const { usedTokens, windowTokens, parts } = window;
  const share = windowTokens > 0 ? ` (${Math.round((usedTokens / windowTokens) * 100)} %)` : '';
  pen.line(`${title}${toCount(usedTokens)} of ${toCount(windowTokens)} tokens${share}`);
  const width = Math.max(0, ...parts.map(({ name }) => toLine(name).length));
  for (const { name, tokens } of parts) {
    const label = toLine(name).padEnd(width);
    pen.line(`${' '.repeat(10)}${pen.paint('dim', label)} ${toCount(tokens).padStart(9)}`);
  }
}

function toCount(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
