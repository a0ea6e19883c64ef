// Formats a call, a result, a failure and an age on one line, for the live view and the stored transcript.
import type { Failure, TurnEnd } from '@toolyard/sdk';
import { cut, type TextWriter, toLine } from './terminal.ts';

/** `● mcp__toolyard__ping {}` */
export function callLine(writer: TextWriter, tool: string, input: unknown): string {
  const name = toLine(tool);
  const rest = cut(toLine(toJson(input)), writer.width() - name.length - 3);
  return `${writer.paint('cyan', '●')} ${writer.paint('bold', name)} ${writer.paint('dim', rest)}`;
}

export interface ResultFacts {
  output: unknown;
  state: 'done' | 'failed' | 'unknown';
  /** Set when the result is not directly below its call. */
  tool?: string | undefined;
  tookMs?: number | undefined;
}

/** `  ✓ {"status":"pong"} 3 ms` */
export function resultLine(writer: TextWriter, { output, state, tool, tookMs }: ResultFacts): string {
  const mark = { done: ['green', '✓'], failed: ['red', '✗'], unknown: ['yellow', '?'] } as const;
  const [style, sign] = mark[state];
  const name = tool ? `${toLine(tool)} ` : '';
  const took = tookMs === undefined ? '' : ` ${toDuration(tookMs)}`;
  const text = state === 'unknown' ? `outcome unknown: ${toJson(output)}` : toJson(output);
  const rest = cut(toLine(text), writer.width() - 4 - name.length - took.length);
  return `  ${writer.paint(style, sign)} ${name}${rest}${writer.paint('dim', took)}`;
}

export function failureLine(writer: TextWriter, { code, message }: Failure): string {
  return `${writer.paint('red', '✗')} ${toLine(message)} ${writer.paint('dim', `(${code})`)}`;
}

export function outcomeText(writer: TextWriter, outcome: TurnEnd): string {
  const styles = { completed: 'green', failed: 'red', interrupted: 'yellow', limit: 'yellow' } as const;
  return writer.paint(styles[outcome], outcome);
}

export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** How long ago, in the largest unit that fits. */
export function toAge(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
  if (seconds < 60) return 'just now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

/** The date as YYYY-MM-DD. */
export function toDate(at: string): string {
  return at.slice(0, 10);
}

export function toMoney(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown';
  return costUsd === 0 ? 'free' : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

function toJson(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
