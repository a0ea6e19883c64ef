// Holds the table of docs/claude.md that says what is gated to the tests that docs/promises.md names for each of its rows:
// each exists, and runs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';

/** The cells of the table that begins with this head. */
async function readTable(page: string, head: string): Promise<string[][]> {
  const [, after = ''] = (await readFile(join(root, page), 'utf8')).split(`${head}\n`);
  const [, ...lines] = after.trimEnd().split('\n\n')[0]?.split('\n') ?? [];
  return lines.map((line) => line.split('|').map((cell) => cell.trim()));
}

const gated = await readTable('docs/claude.md', '| call | on `native` | on `claude` |');
const rows = await readTable('docs/promises.md', '| a call | proved by |');

/** `file` “title” */
const citation = /`([^`]+)` “([^”]+)”/g;

describe('every row of what is gated is proved by a test', () => {
  it.each(rows.map(([, call = '', proofs = '']) => ({ call, proofs })))('$call', async ({ proofs }) => {
    const cited = [...proofs.matchAll(citation)].map(([, file = '', title = '']) => ({ file, title }));
    expect(cited.length).toBeGreaterThan(0);
    for (const { file, title } of cited) {
      const text = await readFile(join(root, 'packages/harness/test', file), 'utf8');
      const at = text.indexOf(title);
      expect({ file, title, found: at >= 0 }).toEqual({ file, title, found: true });
      expect(text.slice(0, at)).toMatch(/\b(?:it|test)(?:\.each\([\s\S]*\))?(?:\.concurrent)?\(\s*['"`]$/);
    }
  });

  it('no row lacks a proof, and there are rows', () => {
    expect(rows.map(([, call]) => call)).toEqual(gated.map(([, call]) => call));
    expect(rows.length).toBeGreaterThan(5);
  });
});
