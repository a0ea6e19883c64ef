import { expect, test } from 'vitest';
import { toFields, toInput } from '../../../src/screens/tools/schema-fields.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where', minLength: 1, maxLength: 10 },
    count: { type: 'integer', minimum: -9007199254740991, maximum: 50, default: 10 },
    deep: { type: 'boolean' },
    kind: { type: 'string', enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' } },
    any: { anyOf: [{ type: 'string' }, { const: 3 }] },
  },
  required: ['path', 'tags'],
};

test('the fields of a schema say their type, bounds and what a form shows for them', () => {
  const fields = toFields(schema) ?? [];
  expect(
    fields.map(({ name, type, bounds, control, required }) => [name, type, bounds, control, required]),
  ).toEqual([
    ['path', 'string', '1 to 10 characters', 'text', true],
    ['count', 'integer', 'at most 50', 'number', false],
    ['deep', 'boolean', '', 'switch', false],
    ['kind', '"a" | "b"', '', 'choice', false],
    ['tags', 'list of string', '', 'json', true],
    ['any', 'string | 3', '', 'json', false],
  ]);
});

test('a schema without named fields has none, and one that is no object is left to JSON', () => {
  expect(toFields({ type: 'object', properties: {}, additionalProperties: false })).toEqual([]);
  expect(toFields({ type: 'string' })).toBeUndefined();
  expect(toFields({ type: 'object', additionalProperties: { type: 'string' } })).toBeUndefined();
});

test('what was filled in becomes an input, and what was left empty is left out', () => {
  const fields = toFields(schema) ?? [];
  expect(toInput(fields, { path: ' x', count: '3', deep: 'true', kind: 'b', tags: '["t"]' })).toEqual({
    input: { path: ' x', count: 3, deep: true, kind: 'b', tags: ['t'] },
    problems: {},
  });
});

test('what is missing or no value is said at its field', () => {
  const { problems } = toInput(toFields(schema) ?? [], { count: 'three', tags: '[' });
  expect(problems).toEqual({ path: 'It needs a value.', count: 'Use a number.', tags: 'This is not JSON.' });
});
