// When something ends to hold: a day, and a word of warning when that is near.

import { toExactTime } from '../../parts/format-time.ts';
import { useNow } from '../../parts/time.tsx';

const dayMs = 86_400_000;

export function Expiry({ at }: { at: string | undefined }) {
  const now = useNow();
  if (at === undefined) return 'never';
  const left = Math.ceil((Date.parse(at) - now) / dayMs);
  const words = left <= 0 ? 'expired' : left === 1 ? 'within a day' : `in ${left} days`;
  return (
    <time dateTime={at} title={toExactTime(at)} className={left <= 2 ? 'text-warn' : undefined}>
      {words}
    </time>
  );
}
