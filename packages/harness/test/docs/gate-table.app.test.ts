// Holds the table of docs/claude.md that says what is gated to the tests it names: each exists, and runs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';

const page = await readFile(join(root, 'docs/claude.md'), 'utf8');
const head = '| a call | on `native` | on `claude` | proved by |\n|---|---|---|---|\n';
const [, after = ''] = page.split(head);
const rows = after
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** `file` “title” */
const citation = /`([^`]+)` “([^”]+)”/g;

describe('every row of what is gated is proved by a test', () => {
  it.each((rows ?? []).map(([, call = '', , , proofs = '']) => ({ call, proofs })))(
    '$call',
    async ({ proofs }) => {
      const cited = [...proofs.matchAll(citation)].map(([, file = '', title = '']) => ({ file, title }));
      expect(cited.length).toBeGreaterThan(0);
      for (const { file, title } of cited) {
        const text = await readFile(join(root, 'packages/harness/test', file), 'utf8');
        const at = text.indexOf(title);
        expect({ file, title, found: at >= 0 }).toEqual({ file, title, found: true });
        expect(text.slice(0, at)).toMatch(/\b(?:it|test)(?:\.each\([\s\S]*\))?(?:\.concurrent)?\(\s*['"`]$/);
      }
    },
  );

  it('there are rows', () => {
    expect(rows?.length).toBeGreaterThan(5);
  });
});
