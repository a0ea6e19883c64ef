// How one dispatch is told in the hand-over of its task: whole, in a paragraph or in a line. What agents wrote stays in
// quotations and code, whatever it is. Pure; no clock, no locale.
import type { Dispatch, DispatchRow, Worktree } from '@toolyard/sdk';
import { codeWithin, type Part, quoteWithin } from '../lib/bounded-markdown.ts';
import { toCode } from '../lib/markdown-text.ts';
import { toToolTerms } from '../lib/tool-terms.ts';

/** Of what an agent was told: enough to know which one it is. */
const promptRoom = 400;
const pointRoom = 1_200;
const errorLength = 300;
const lineLength = 160;
const pathLength = 500;
/** Less than this of a text says nothing. */
const minRoom = 60;

/** A dispatch, with what it has reported so far. */
export type ReportedDispatch = Dispatch & Pick<DispatchRow, 'report'>;

/** When anything last happened to it, as far as the row says. */
export function lastAt({ endedAt, startedAt }: Dispatch): string {
  return endedAt ?? startedAt;
}

/** To the minute. */
export function toTime(iso: string): string {
  return `${iso.slice(0, 16)}Z`;
}

/** `1 file`, `2 files`. */
export function toCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Newest first, and always in the same order. */
export function newestFirst(one: Dispatch, other: Dispatch): number {
  return compare(lastAt(other), lastAt(one)) || compare(other.id, one.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function toCost(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown';
  return `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

/** Who and what, without a word that an agent wrote. */
function toHead(dispatch: Dispatch): string {
  const { id, role, status, costUsd, parentAgentId } = dispatch;
  const by = parentAgentId === undefined ? [] : [`drafted by ${toCode(parentAgentId)}`];
  const who = id.startsWith('trn_') ? [`a person’s own turn`] : [];
  return [toCode(id), role, status, toTime(lastAt(dispatch)), toCost(costUsd), ...who, ...by].join(' · ');
}

/** Somebody who is at work: what it was told, or has reported so far. */
export function toLivePart(dispatch: ReportedDispatch): Part {
  return (room) => {
    const { prompt, report, worktree } = dispatch;
    const place = toPlace(worktree).map((each) => `${each}. `);
    const head = `### ${toHead(dispatch)}\n\n${place.join('')}${report ? 'Reported so far' : 'Told'}:\n\n`;
    return withQuote(head, report?.summary ?? prompt, Math.min(room, head.length + promptRoom));
  };
}

/** What somebody has asked, or found wrong. */
export function toPointsPart(dispatch: Dispatch, points: readonly string[]): Part {
  return (room) => {
    let text = `### ${toHead(dispatch)}\n`;
    let shown = 0;
    for (const point of points) {
      const left = room - text.length - 1 - '\n\n… and 100 more.'.length;
      const quote = left < minRoom ? '' : quoteWithin(toItem(point), Math.min(left, pointRoom));
      if (quote === '') break;
      text += `\n${quote}`;
      shown++;
    }
    if (shown === 0) return '';
    return shown < points.length ? `${text}\n\n… and ${points.length - shown} more.` : text;
  };
}

/** Its further lines stay in it. */
function toItem(point: string): string {
  return `- ${point.replaceAll('\n', '\n  ')}`;
}

/** Somebody who did not come to an end of their own: why, and how far they got. */
export function toFailedPart(dispatch: Dispatch): Part {
  return (room) => {
    const { error, result, prompt } = dispatch;
    const why = error
      ? `${toCode(error.code)}: ${codeWithin(toToolTerms(error.message), errorLength)}`
      : 'No reason given';
    const place = toPlace(dispatch.worktree).map((each) => ` ${each}.`);
    const head = `### ${toHead(dispatch)}\n\n${why}.${place.join('')} ${result ? 'Result so far' : 'Told'}:\n\n`;
    const max = result ? 2 * promptRoom : promptRoom;
    return withQuote(head, result?.summary ?? prompt, Math.min(room, head.length + max));
  };
}

/** All of a result, as far as there is room: half of it for the summary when the changes are long, too. */
export function toResultPart(dispatch: Dispatch): Part {
  return (room) => {
    const { result, worktree } = dispatch;
    const note = result?.reported === false ? '\n\nNo report; its last message:' : '';
    const place = toPlace(worktree).map((each) => `\n\n${each}.`);
    const head = `### ${toHead(dispatch)}${place.join('')}${note}\n\n`;
    const changes = (result?.changes ?? []).map(toItem).join('\n');
    const wanted = changes === '' ? 0 : quoteWithin(changes, room).length;
    const forChanges = Math.min(wanted, Math.floor((room - head.length) / 2));
    const body = withQuote(
      head,
      result?.summary ?? '',
      room - (changes === '' ? 0 : forChanges + changed.length),
    );
    if (body === '' || changes === '') return body;
    const quote = quoteWithin(changes, room - body.length - changed.length);
    return quote === '' ? body : `${body}${changed}${quote}`;
  };
}

const changed = '\n\nChanged:\n\n';

export function toLinePart(dispatch: Dispatch): Part {
  return (room) => {
    const { result, error, prompt, worktree } = dispatch;
    const words = codeWithin(result?.summary ?? (error && toToolTerms(error.message)) ?? prompt, lineLength);
    const branch = worktree?.diff && !worktree.removed ? ` (branch ${toCode(worktree.branch)})` : '';
    const line = `- ${toHead(dispatch)}${branch}: ${words}`;
    return line.length <= room ? line : '';
  };
}

function withQuote(head: string, text: string, room: number): string {
  if (room - head.length < Math.min(minRoom, text.length)) return '';
  const quote = quoteWithin(text, room - head.length);
  return quote === '' ? '' : `${head}${quote}`;
}

/** Where its work is, when it worked apart from the others. */
function toPlace(worktree: Worktree | undefined): string[] {
  if (!worktree) return [];
  const { branch, path, base, diff, kept, removed } = worktree;
  const there = kept ? `, directory ${codeWithin(path, pathLength)}` : '';
  if (!diff) return [`On branch ${toCode(branch)}, from ${toCode(base.slice(0, 12))}${there}`];
  const { files, insertions, deletions, commits } = diff;
  if (removed) return ['On its own branch; no changes, and the branch is removed'];
  if (commits === 0 && files === 0) return [`On its own branch; no changes${there}`];
  const size = `${toCount(files, 'file', 'files')}, +${insertions} −${deletions}, ${toCount(commits, 'commit', 'commits')}`;
  return [`On branch ${toCode(branch)}, from ${toCode(base.slice(0, 12))}: ${size}${there}`];
}
