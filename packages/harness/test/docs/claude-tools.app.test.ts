// Holds the page about the Claude engine's tools to the table by which they are judged.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';
import { absentTools } from '../../src/engines/claude/tools/absent-tools.ts';
import { nativeTools } from '../../src/engines/claude/tools/native-tools.ts';

const page = await readFile(join(root, 'docs/claude-tools.md'), 'utf8');

/** The lines of the table that begins with this head. */
function tableUnder(head: string): string[] {
  const [, rest = ''] = page.split(`\n${head}\n`);
  const [table = ''] = rest.split('\n\n');
  return table.split('\n').slice(1);
}

it('docs/claude-tools.md prints every tool that can be offered, as it is judged', () => {
  const rows = nativeTools.map(
    ({ name, effect, tier, touches }) => `| \`${name}\` | ${effect} | ${tier} | ${touches} |`,
  );
  expect(tableUnder('| tool | effect | tier | touches |')).toEqual(rows);
});

it('docs/claude-tools.md names every tool that no agent has, with the reason', () => {
  const reasons = [...new Set(absentTools.values())];
  const rows = reasons.map((reason) => {
    const names = [...absentTools].flatMap(([name, why]) => (why === reason ? [`\`${name}\``] : []));
    return `| ${names.join(', ')} | ${reason} |`;
  });
  expect(tableUnder('| tool | why |')).toEqual(rows);
});
