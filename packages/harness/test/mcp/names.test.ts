import { describe, expect, it } from 'vitest';
import { toFullName, toListedName } from '../../src/mcp/names.ts';

describe('names at /mcp', () => {
  it.each([
    ['mcp__toolyard__ping', 'ping'],
    ['mcp__math__add', 'mcp__math__add'],
    ['mcp__toolyard__a__b', 'a__b'],
    // A tool of ours whose short name is the full name of another's.
    ['mcp__toolyard__mcp__math__add', 'mcp__toolyard__mcp__math__add'],
    ['mcp__toolyard-two__ping', 'mcp__toolyard-two__ping'],
  ])('lists %s as %s, which leads back to it and to nothing else', (fullName, listed) => {
    expect(toListedName(fullName)).toBe(listed);
    expect(toFullName(listed)).toBe(fullName);
    expect(toFullName(fullName)).toBe(fullName);
  });
});
