import { describe, expect, it } from 'vitest';
import { toFlatJson, toPrettyJson } from '../../src/text/flat-json.ts';

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

describe('JSON without recursion', () => {
  it('is what JSON.stringify writes', () => {
    const values = [
      {},
      [],
      null,
      'a"b',
      1.5,
      true,
      { a: [1, { b: null }], 'c d': '\n' },
      [[], {}, [[1, 2]]],
      nest(50),
    ];
    expect(values.map((value) => toFlatJson(value))).toEqual(values.map((value) => JSON.stringify(value)));
  });

  it('is written however deep it is', () => {
    const text = toFlatJson(nest(100_000));
    // Two levels are `[{"a":` and `}]`.
    expect([text.length, text.slice(0, 7)]).toEqual([50_000 * 8 + 1, '[{"a":[']);
  });

  it('stops soon after the most that is wanted', () => {
    expect(toFlatJson({ a: 'x'.repeat(1_000_000), b: 1 }, 100).length).toBeLessThan(200);
  });

  it('is indented unless it is too deep for that', () => {
    expect(toPrettyJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(toPrettyJson(nest(5_000))).not.toContain('\n');
  });
});
