// Formats an approval for the person who answers it: who asks, what exactly would run, why it is asked, and what each
// answer means. All text from a model or a tool is quoted, with invisible characters shown. Pure.
import {
  type Approval,
  grantDays,
  type Scope,
  type Session,
  scopesOf,
  toExcerpt,
  toVisibleJson,
  toVisibleLine,
} from '@toolyard/sdk';
import { formatAgent } from '../terminal/agent-line.ts';
import { toDuration } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { toQuote } from '../terminal/quote.ts';
import { cut, type Style, type TextWriter } from '../terminal/terminal.ts';

/** An approval and, if known, its session. */
export interface AskedCall {
  approval: Approval;
  session?: Session | undefined;
}

export interface CardOptions {
  now: number;
  /** Show all of the input, however long. */
  whole?: boolean;
}

const maxCharacters = 2_000;
const riskStyles: Record<Approval['risk'], Style> = { low: 'green', medium: 'yellow', high: 'red' };

export function toCard(
  writer: TextWriter,
  { approval, session }: AskedCall,
  { now, whole }: CardOptions,
): string {
  const { id, tool, effect, risk, input, preview, rule, state } = approval;
  const max = whole ? Number.POSITIVE_INFINITY : maxCharacters;
  const shownInput = toQuote(writer, toVisibleJson(input, max), { whole });
  const shownPreview =
    preview === undefined ? undefined : toQuote(writer, toExcerpt(preview, max), { whole });
  const isCut = shownInput.cut || shownPreview?.cut;
  const facts: [string, string][] = [
    ['asks', cut(formatWho(approval, session), writer.width() - 12)],
    ['effect', `${effect} · risk ${writer.paint(riskStyles[risk], risk)}`],
    ['rule', toVisibleLine(rule)],
    ...(state === 'pending' ? [['waits', formatWaiting(approval, now)] satisfies [string, string]] : []),
    ['approval', isCut ? `${id}, in full: ${program} approvals show ${id}` : id],
  ];
  return [
    `${writer.paint('yellow', '?')} Allow ${writer.paint('bold', toVisibleLine(tool))} with this input?`,
    ...shownInput.rows,
    ...(shownPreview ? ['  What it would do:', ...shownPreview.rows] : []),
    ...facts.map(([name, text]) => `  ${writer.paint('dim', name.padEnd(9))} ${text}`),
  ].join('\n');
}

/** An input on one line: its beginning, its end and its full length, also when the list shortened it. */
export function toBrief(input: unknown, width: number, shortenedFrom?: number): string {
  const isCut = shortenedFrom !== undefined && typeof input === 'string';
  const line = toVisibleLine(isCut ? input : (JSON.stringify(input) ?? ''));
  if (line.length <= width) return line;
  const note = `⟨… of ${isCut ? shortenedFrom : line.length} characters …⟩`;
  const half = Math.max(8, Math.floor((width - note.length) / 2));
  return `${line.slice(0, half)}${note}${line.slice(-half)}`;
}

/** A way to answer: a key and what it does. */
export interface Choice {
  key: string;
  meaning: string;
  scope?: Scope;
}

export function toChoices({ approval, session }: AskedCall): Choice[] {
  const what = formatKey(approval);
  const allows: Record<Scope, Omit<Choice, 'scope'>> = {
    once: { key: 'a', meaning: 'allow this one call' },
    session: { key: 's', meaning: `allow in this session, for up to ${grantDays.session} days: ${what}` },
    always: {
      key: 'w',
      meaning: `allow for ${formatHolder(session)}, for up to ${grantDays.always} days: ${what}`,
    },
  };
  const deny: Choice = { key: 'd', meaning: 'deny, with a reason if you like' };
  return [...scopesOf(approval).map((scope) => ({ ...allows[scope], scope })), deny];
}

export function formatChoices(writer: TextWriter, choices: readonly Choice[]): string {
  return choices.map(({ key, meaning }) => `  ${writer.paint('bold', key)}  ${meaning}`).join('\n');
}

function formatKey({ tool, grantKey }: Approval): string {
  if (grantKey === tool) return 'this tool with any input';
  const rest = grantKey.startsWith(`${tool} `) ? grantKey.slice(tool.length + 1) : grantKey;
  return `this tool with ${toVisibleLine(toExcerpt(rest, 200).text)}`;
}

function formatHolder(session: Session | undefined): string {
  if (!session) return 'this role in this workspace';
  return `the role ${toVisibleLine(session.role)} in ${toVisibleLine(session.workspace)}`;
}

function formatWho({ sessionId, lineage }: Approval, session: Session | undefined): string {
  const agent = formatAgent(lineage, session?.role);
  if (!session) return agent ? `${agent}, in session ${sessionId}` : `session ${sessionId}`;
  const title = session.title ? `“${toVisibleLine(session.title)}” ` : '';
  return `${agent ?? toVisibleLine(session.role)} in ${title}${sessionId}`;
}

function formatWaiting({ expiresAt, unattended }: Approval, now: number): string {
  const leftMs = expiresAt === null ? 0 : Date.parse(expiresAt) - now;
  if (leftMs > 0) return `${toDuration(leftMs)}${unattended === 'park' ? ', then it is parked' : ''}`;
  return unattended === 'park' ? 'parked: nobody answered in time, but you still can' : 'no longer';
}
