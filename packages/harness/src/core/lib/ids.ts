// Ids: a prefix and 22 characters that sort by time, so that the newest is the largest. Never two alike in a process.
import { randomFillSync } from 'node:crypto';
import type { Clock } from './ports.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export type Prefix = 'ses' | 'trn' | 'apr' | 'qst' | 'grt' | 'tok' | 'agt';
export type NewId = (prefix: Prefix) => string;

/** 10 characters of time, 4 that count within a millisecond, 8 of chance. A clock set back does not turn ids back. */
export function createIds(clock: Clock): NewId {
  let time = 0;
  let count = 0;
  return (prefix) => {
    const now = clock.now();
    count = now > time ? 0 : count + 1;
    time = Math.max(time, now);
    return `${prefix}_${toBase32(time, 10)}${toBase32(count, 4)}${takeChance(8)}`;
  };
}

/** An id for what began before we knew of it: it sorts where it would stand had it been made then. */
export function idAt(prefix: Prefix, time: number): string {
  return `${prefix}_${toBase32(Math.max(0, Math.floor(time)), 10)}${takeChance(12)}`;
}

/** Drawn many at a time: asking for a few costs as much. */
const drawn = new Uint8Array(1_024);
let left = 0;

function takeChance(length: number): string {
  let chance = '';
  while (chance.length < length) {
    if (left === 0) left = randomFillSync(drawn).length;
    left -= 1;
    chance += alphabet[(drawn[left] ?? 0) % 32];
  }
  return chance;
}

function toBase32(value: number, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 32))
    digits = alphabet[rest % 32] + digits;
  return digits;
}
