import { expect, test } from 'vitest';
import type { Stack } from '../path/call-stacks.ts';
import { toStack } from '../path/call-stacks.ts';
import { formatFiles, toPath } from '../path/path.ts';

const toFrames = (...files: string[]): Stack => files.map((file) => ({ file, place: 'run:1' }));

test('a stack goes from the first call to the last one, across awaits, without what is not ours', () => {
  const stack = toStack(
    {
      callFrames: [
        { functionName: 'commit', url: 'ours/store.ts', lineNumber: 4 },
        { functionName: 'then', url: 'node:internal', lineNumber: 8 },
      ],
      parent: { callFrames: [{ functionName: 'accept', url: 'ours/turns.ts', lineNumber: 0 }] },
    },
    ({ url, functionName }) => (url.startsWith('ours/') ? { file: url, place: functionName } : undefined),
  );
  expect(stack).toEqual([
    { file: 'ours/turns.ts', place: 'accept' },
    { file: 'ours/store.ts', place: 'commit' },
  ]);
});

test('a path has each file once, in the order of the way, and each step between two rooms once', () => {
  const path = toPath([
    toFrames('http/socket.ts', 'core/turns.ts', 'store/rows.ts'),
    toFrames('http/socket.ts', 'core/log.ts', 'core/turns.ts', 'store/rows.ts', 'core/log.ts'),
  ]);
  expect(path).toEqual({
    files: toFrames('http/socket.ts', 'core/turns.ts', 'store/rows.ts', 'core/log.ts'),
    rooms: 3,
    changes: 3,
  });
});

test('the list goes room by room and keeps the order of the way in its numbers', () => {
  const { files } = toPath([toFrames('core/turns.ts', 'store/rows.ts', 'core/log.ts')]);
  expect(formatFiles(files).split('\n')).toEqual([
    '  core',
    '    1 turns.ts (run:1)',
    '    3 log.ts (run:1)',
    '  store',
    '    2 rows.ts (run:1)',
  ]);
});
