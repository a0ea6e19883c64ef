// What something cost, and how many tokens it took. Unknown is never shown as zero.

export function toMoney(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString('en-US')}`;
}

export interface MoneyProps {
  usd: number | null;
  /** Of what is not known as a whole. */
  knownUsd?: number | undefined;
  /** What to say for zero, where "free" reads better than "$0". */
  zero?: string | undefined;
  /** Where there is little room: `$?` for an unknown cost. */
  short?: boolean | undefined;
  className?: string | undefined;
}

export function Money({ usd, knownUsd, zero, short, className }: MoneyProps) {
  const known = usd === null && knownUsd ? toMoney(knownUsd) : undefined;
  return (
    <span
      title={usd === null ? formatUnknown(known) : `${usd} US dollars`}
      className={className ? `tabular-nums ${className}` : 'tabular-nums'}
    >
      {usd === null && short && (
        <span className="sr-only">{known ? `${known} and an unknown cost` : 'cost unknown'}</span>
      )}
      <span aria-hidden={(usd === null && short) || undefined}>
        {usd === null ? toUnknown(known, short) : usd === 0 && zero ? zero : toMoney(usd)}
      </span>
    </span>
  );
}

function toUnknown(known: string | undefined, short: boolean | undefined): string {
  if (short) return known ? `${known} + ?` : '$?';
  return known ? `${known} + unknown` : 'cost unknown';
}

function formatUnknown(known: string | undefined): string {
  return `${known ? `${known} is known, the rest is not` : 'Not known'}: a model has no known price, or a turn was stopped before it was counted.`;
}

/** Numbers of tokens, short enough for a line. */
export function toCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 100_000) return `${(tokens / 1_000).toFixed(1)}k`;
  return tokens < 1_000_000 ? `${Math.round(tokens / 1_000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
