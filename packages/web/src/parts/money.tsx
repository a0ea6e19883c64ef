// What something cost. Unknown is never shown as zero.
export function toMoney(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString('en-US')}`;
}

export interface MoneyProps {
  usd: number | null;
  /** What to say for zero, where "free" reads better than "$0". */
  zero?: string | undefined;
  /** Where there is little room: `$?` for an unknown cost. */
  short?: boolean | undefined;
  className?: string | undefined;
}

export function Money({ usd, zero, short, className }: MoneyProps) {
  const title = usd === null ? 'The price of this model is not known.' : `${usd} US dollars`;
  return (
    <span title={title} className={className ? `tabular-nums ${className}` : 'tabular-nums'}>
      {usd === null && short && <span className="sr-only">cost unknown</span>}
      <span aria-hidden={(usd === null && short) || undefined}>{toText(usd, zero, short)}</span>
    </span>
  );
}

function toText(usd: number | null, zero: string | undefined, short: boolean | undefined): string {
  if (usd === null) return short ? '$?' : 'cost unknown';
  return usd === 0 && zero ? zero : toMoney(usd);
}
