// Formats the result of an agent for a person.
import type { AwaitedAgent } from '@toolyard/sdk';
import { failureLine } from '../terminal/lines.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

export type Ended = Pick<AwaitedAgent, 'result' | 'error' | 'worktree'>;

const lists = [
  ['changes', 'Changes'],
  ['issues', 'Issues'],
  ['questions', 'Questions'],
] as const;

export function writeResult(writer: TextWriter, ended: Ended): void {
  writer.line(toParts(writer, ended).join('\n\n'));
}

function toParts(writer: TextWriter, { result, error, worktree }: Ended): string[] {
  return [
    ...(error ? [failureLine(writer, error)] : []),
    ...(result ? [toSummary(writer, result)] : []),
    ...(result ? lists.flatMap(([name, title]) => toList(writer, title, result[name])) : []),
    ...(worktree ? toList(writer, 'Branch', [toBranch(worktree)]) : []),
  ];
}

function toSummary(writer: TextWriter, { summary, reported }: NonNullable<Ended['result']>): string {
  const note = '(It reported no result. This is the last thing it said.)';
  return `${reported ? '' : `${writer.paint('dim', note)}\n`}${writer.safe(summary).trimEnd()}`;
}

function toList(writer: TextWriter, title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const lines = items.map((item) => `- ${writer.safe(item).trim().replaceAll('\n', '\n  ')}`);
  return [[writer.paint('bold', title), ...lines].join('\n')];
}

function toBranch({ branch, path, diff, kept, removed }: NonNullable<Ended['worktree']>): string {
  if (removed) return toLine(`${branch}: removed, because it had no changes`);
  const files = diff?.files === 1 ? '1 file' : `${diff?.files} files`;
  const changed = diff ? `: ${files}, +${diff.insertions} −${diff.deletions}, ${diff.commits} commits` : '';
  return toLine(`${branch}${changed}${kept ? ` (kept in ${path})` : ''}`);
}
