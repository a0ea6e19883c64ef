// What came of an agent, as a person reads it.
import { expect, it } from 'vitest';
import { type Ended, writeResult } from '../../../src/cli/agents/agent-result.ts';
import { createTerminal } from '../../../src/cli/terminal/terminal.ts';

function write(ended: Ended): string {
  let written = '';
  const stream = { isTTY: true, columns: 80, write: (text: string) => (written += text) };
  writeResult(createTerminal({ stdout: stream, stderr: stream }, { NO_COLOR: '1' }).out, ended);
  return written;
}

const result = { summary: 'Half of it.', changes: [], issues: [], questions: [], reported: true };
const worktree = { branch: 'toolyard/checkout-1', path: '/yard/.worktrees/1', base: 'abc' };

it('why it ended stands before how far it came, and the branch comes last', () => {
  const error = { code: 'killed', message: 'The agent was killed.' } as const;
  const diff = { files: 1, insertions: 10, deletions: 2, commits: 3 };
  expect(write({ error, result, worktree: { ...worktree, diff, kept: true } })).toBe(
    [
      '✗ The agent was killed. (killed)\n',
      'Half of it.\n',
      'Branch\n- toolyard/checkout-1: 1 file, +10 −2, 3 commits (kept in /yard/.worktrees/1)\n',
    ].join('\n'),
  );
});

it('a branch that was removed, because nothing was changed on it, is called that', () => {
  const diff = { files: 0, insertions: 0, deletions: 0, commits: 0 };
  expect(write({ result, worktree: { ...worktree, diff, removed: true } })).toBe(
    'Half of it.\n\nBranch\n- toolyard/checkout-1: removed, because it had no changes\n',
  );
});

it('what was not reported is marked, and nothing of it drives the terminal', () => {
  const evil = 'a\u001b[2Jb\nc\u009b';
  const written = write({ result: { ...result, reported: false, summary: evil, issues: [evil] }, worktree });
  expect(written).toMatch(/^\(It reported no result\. This is the last thing it said\.\)\na/);
  expect(written).toMatch(/\nBranch\n- toolyard\/checkout-1\n$/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
  expect(written.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g)).toBeNull();
});
