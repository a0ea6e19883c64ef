// What the agent said in one turn, as text to copy. Pure.
import type { SessionView } from '@toolyard/sdk';

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
