// Findings in as few words as possible, and the words they share.
import { type Finding, ToolyardError } from '@toolyard/sdk';

export type { Finding } from '@toolyard/sdk';

export const ok = (name: string, message: string): Finding => ({ name, state: 'ok', message });
export const warn = (name: string, message: string, fix?: string): Finding => ({
  name,
  state: 'warn',
  message,
  ...(fix && { fix }),
});
export const fail = (name: string, message: string, fix?: string): Finding => ({
  name,
  state: 'fail',
  message,
  ...(fix && { fix }),
});

export function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ToolyardError) return thrown.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** As a person says it: 312 MB, 1.4 GB. */
export function toSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 10 || power === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${units[power]}`;
}

export function countOf(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
