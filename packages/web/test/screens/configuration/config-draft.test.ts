import { type ConfigItem, ToolyardError } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import {
  isChanged,
  toFieldErrors,
  toPatch,
  toWord,
} from '../../../src/screens/configuration/config-draft.ts';

function item(
  key: string,
  value: unknown,
  schema: Record<string, unknown>,
  rest: Partial<ConfigItem> = {},
): ConfigItem {
  return {
    key,
    value,
    schema,
    description: '',
    source: 'file',
    editable: true,
    applies: 'now',
    ...rest,
  };
}

const steps = item('limits.maxSteps', 20, { type: 'integer' }, { default: 50 });
const spare = item('claude.spare', true, { type: 'boolean' }, { default: true, afterRestart: false });
const tiers = item(
  'toolApproval.perTool',
  { old: 'auto', kept: 'session' },
  { type: 'object', additionalProperties: { type: 'string', enum: ['auto', 'session', 'always'] } },
);
const kits = item('toolkits', {}, { type: 'object', additionalProperties: { type: 'boolean' } });
const categories = item('mcp.fullAccessCategories', ['conversational'], { type: 'array' });
const items = [steps, spare, tiers, kits, categories];

test('only what is another than what is saved is sent', () => {
  expect(toPatch(items, { 'limits.maxSteps': '20', 'claude.spare': 'false', toolkits: [] })).toEqual({});
  expect(
    toPatch(items, {
      'limits.maxSteps': '30',
      'claude.spare': 'true',
      'mcp.fullAccessCategories': 'conversational, coding',
    }),
  ).toEqual({
    limits: { maxSteps: 30 },
    claude: { spare: true },
    mcp: { fullAccessCategories: ['conversational', 'coding'] },
  });
});

test('a map is sent with null for entries that were removed, and without those that have no name', () => {
  const entries = [
    { name: 'kept', value: 'always' },
    { name: ' new ', value: 'session' },
    { name: '', value: 'auto' },
  ];
  expect(
    toPatch(items, { 'toolApproval.perTool': entries, toolkits: [{ name: 'jobs', value: 'false' }] }),
  ).toEqual({
    toolApproval: { perTool: { old: null, kept: 'always', new: 'session' } },
    toolkits: { jobs: false },
  });
});

test('back to the default is null, and nothing where the default holds', () => {
  expect(toPatch(items, { 'limits.maxSteps': null })).toEqual({ limits: { maxSteps: null } });
  expect(isChanged({ ...steps, value: 50 }, { 'limits.maxSteps': null })).toBe(false);
});

test('what is no number is left to the server to refuse', () => {
  expect(toPatch(items, { 'limits.maxSteps': 'many' })).toEqual({ limits: { maxSteps: 'many' } });
});

test('what the server refused stands at its field, an entry of a map at the map', () => {
  const issues = [
    { path: 'limits.maxSteps', message: 'too small' },
    { path: 'toolApproval.perTool.x', message: 'no tier' },
    { path: 'elsewhere', message: 'unknown' },
  ];
  const error = new ToolyardError('invalid_request', 'no', { data: { issues } });
  expect(toFieldErrors(items, error)).toEqual({
    'limits.maxSteps': 'too small',
    'toolApproval.perTool': 'x: no tier',
  });
});

test('a value is written as its control shows it', () => {
  expect([
    toWord(steps, 3),
    toWord(spare, true),
    toWord(categories, ['a', 'b']),
    toWord(kits, { a: true }),
  ]).toEqual(['3', 'true', 'a, b', [{ name: 'a', value: 'true' }]]);
});
