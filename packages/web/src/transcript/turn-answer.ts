// What was asked and said in one turn, as text to copy. Pure.
import { type SessionView, toText } from '@toolyard/sdk';

export function toAnswer({ items }: Pick<SessionView, 'items'>, endSeq: number): string {
  const end = items.findLastIndex((item) => item.kind === 'end' && item.seq === endSeq);
  const before = items.slice(0, Math.max(0, end));
  const begin = before.findLastIndex(
    (item) => item.kind === 'user' || (item.kind === 'end' && !item.isBeside),
  );
  return before
    .slice(begin + 1)
    .flatMap((item) => (item.kind === 'text' ? [item.text.trim()] : []))
    .join('\n\n');
}

/** The message that a turn was about; that of a retry is the one it began with. */
export function toQuestion({ items }: Pick<SessionView, 'items'>, endSeq: number): string {
  const end = items.findLastIndex((item) => item.kind === 'end' && item.seq === endSeq);
  const asked = items.slice(0, Math.max(0, end)).findLast((item) => item.kind === 'user');
  return asked ? toText(asked.content) : '';
}

/** Where the latest turn ended: calls made beside it are none. */
export function findLastEnd({ items }: Pick<SessionView, 'items'>): number | undefined {
  return items.findLast((item) => item.kind === 'end' && !item.isBeside)?.seq;
}
