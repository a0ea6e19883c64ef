import type { ConfigItem } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import {
  findConflicts,
  toAcknowledged,
  toBegun,
} from '../../../src/screens/configuration/config-conflicts.ts';

const toItem = (value: number): ConfigItem => ({
  key: 'limits.maxSteps',
  value,
  default: 50,
  schema: { type: 'integer' },
  description: '',
  source: 'file',
  editable: true,
  applies: 'now',
});
const draft = { 'limits.maxSteps': '30' };

test('a setting that was saved elsewhere since it was begun is found, until its person has been told', () => {
  const begun = toBegun({}, {}, toItem(20));
  expect(findConflicts([toItem(20)], draft, begun)).toEqual([]);
  expect(findConflicts([toItem(25)], draft, begun)).toEqual([toItem(25)]);
  // Whoever wrote the same changed nothing that would be lost.
  expect(findConflicts([toItem(30)], draft, begun)).toEqual([]);
  expect(findConflicts([toItem(25)], draft, toAcknowledged(begun, [toItem(25)]))).toEqual([]);
  // What is typed later does not begin it anew.
  expect(toBegun(begun, draft, toItem(25))).toEqual(begun);
});
