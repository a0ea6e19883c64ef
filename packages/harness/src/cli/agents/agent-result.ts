// What came of an agent's work, as a person reads it.
import type { AwaitedAgent } from '@toolyard/sdk';
import { failureLine } from '../terminal/lines.ts';
import { type Pen, toLine } from '../terminal/terminal.ts';

export type Ended = Pick<AwaitedAgent, 'result' | 'error' | 'worktree'>;

const lists = [
  ['changes', 'Changes'],
  ['issues', 'Issues'],
  ['questions', 'Questions'],
] as const;

export function writeResult(pen: Pen, ended: Ended): void {
  pen.line(toParts(pen, ended).join('\n\n'));
}

function toParts(pen: Pen, { result, error, worktree }: Ended): string[] {
  return [
    ...(error ? [failureLine(pen, error)] : []),
    ...(result ? [toSummary(pen, result)] : []),
    ...(result ? lists.flatMap(([name, title]) => toList(pen, title, result[name])) : []),
    ...(worktree ? toList(pen, 'Branch', [toBranch(worktree)]) : []),
  ];
}

function toSummary(pen: Pen, { summary, reported }: NonNullable<Ended['result']>): string {
  const note = '(It has reported nothing; this is the last thing it said.)';
  return `${reported ? '' : `${pen.paint('dim', note)}\n`}${pen.safe(summary).trimEnd()}`;
}

function toList(pen: Pen, title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const lines = items.map((item) => `- ${pen.safe(item).trim().replaceAll('\n', '\n  ')}`);
  return [[pen.paint('bold', title), ...lines].join('\n')];
}

function toBranch({ branch, path, diff, kept, removed }: NonNullable<Ended['worktree']>): string {
  if (removed) return toLine(`${branch}: removed, nothing was changed on it`);
  const files = diff?.files === 1 ? '1 file' : `${diff?.files} files`;
  const changed = diff ? `: ${files}, +${diff.insertions} −${diff.deletions}, ${diff.commits} commits` : '';
  return toLine(`${branch}${changed}${kept ? ` (kept in ${path})` : ''}`);
}
