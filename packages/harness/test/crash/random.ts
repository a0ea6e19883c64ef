// Chance that can be repeated: the same seed gives the same numbers.

export interface Random {
  /** A whole number from `least` to `most`, both included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
  /** A stream of its own, so that concurrent users do not disturb each other. */
  fork(): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // A 32-bit mixer: every output bit depends on every bit of the counter.
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    chance: (probability) => next() < probability,
    fork: () => createRandom(between(0, 2 ** 31)),
  };
}
