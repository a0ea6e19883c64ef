import { expect, test } from 'vitest';
import {
  toFailedPart,
  toLinePart,
  toLivePart,
  toPointsPart,
  toResultPart,
} from '../../../src/core/tasks/dispatch-sections.ts';
import { liveDispatch, sampleDispatch, sampleResult } from './dispatch-samples.ts';

const texts = [
  '',
  'Short.',
  'A sentence. '.repeat(200),
  '`'.repeat(500),
  '\n'.repeat(500),
  '\u202e🛒'.repeat(300),
];

function toParts(text: string) {
  const result = sampleResult({ summary: text, changes: [text, text], reported: false });
  const worktree = { branch: 'toolyard/x-1', path: `/r/${text}`, base: 'c0ffee', kept: true };
  const error = { code: 'internal', message: text } as const;
  const ended = sampleDispatch(1, { result, worktree, error, parentAgentId: 'agt_0000000000000000000009' });
  return {
    live: toLivePart(liveDispatch(2, { prompt: text, worktree })),
    points: toPointsPart(ended, [text, 'another', text]),
    failed: toFailedPart(ended),
    result: toResultPart(ended),
    line: toLinePart(ended),
  };
}

test('however a dispatch is told, it takes no more room than it has', () => {
  for (const text of texts) {
    for (const [name, part] of Object.entries(toParts(text))) {
      for (let room = 0; room < 4_000; room += 37) {
        const listed = part(room);
        expect([name, room, Math.max(0, listed.length - room)]).toEqual([name, room, 0]);
      }
    }
  }
});

test('with room enough, each says something', () => {
  for (const text of texts) {
    const said = Object.entries(toParts(text)).filter(([, part]) => part(10_000) === '');
    expect(said).toEqual([]);
  }
});

test('an agent that reported nothing is told of so, and one whose words are gone still has its line', () => {
  const silent = sampleDispatch(1, { result: sampleResult({ summary: 'Well then.', reported: false }) });
  expect(toResultPart(silent)(1_000)).toContain('No report; its last message:\n\n> Well then.');
  const { result, ...gone } = sampleDispatch(1, { prompt: '' });
  expect(toLinePart(gone)(1_000)).toBe(
    '- `agt_0000000000000000000001` · developer · done · 2026-11-15T00:02Z · $0.25: –',
  );
});

test('a branch that was removed is not named as a place to look at', () => {
  const diff = { files: 0, insertions: 0, deletions: 0, commits: 0 };
  const worktree = { branch: 'toolyard/x-1', path: '/r', base: 'c0ffee', diff, removed: true };
  const dispatch = sampleDispatch(1, { worktree });
  expect(toResultPart(dispatch)(4_000)).toContain(
    'On its own branch; no changes, and the branch is removed.',
  );
  expect(`${toResultPart(dispatch)(4_000)}${toLinePart(dispatch)(4_000)}`).not.toContain('toolyard/x-1');
});
