// One way to write a value down, so that equal values have equal hashes.
import { hash } from 'node:crypto';

/** JSON with sorted keys and nothing between. */
export function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? sortKeys(part) : part)) ?? 'null';
}

export function toHash(value: unknown): string {
  return hash('sha256', toCanonical(value), 'hex');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
