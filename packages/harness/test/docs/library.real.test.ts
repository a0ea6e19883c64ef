// Runs every program of docs/library.md and of the README as a reader would, and compares what it prints.
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';
import { createToolyard, type ToolyardOptions } from '../../src/index.ts';
import { compileCache } from '../cli/toolyard-process.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { readGuidePrograms } from './guide-programs.ts';

const programs = await readGuidePrograms();

/** In an empty project in which our packages are installed. */
async function run(code: string): Promise<string> {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, 'work'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'work', 'program.ts'), code);
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=toolyard-source', 'program.ts'],
    {
      cwd: join(folder, 'work'),
      env: { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: compileCache },
      timeout: 20_000,
    },
  );
  expect(stderr).toBe('');
  return stdout;
}

describe('every program in the guide does what it says', () => {
  it.each(programs)('$where', async ({ code, printed }) => {
    expect(await run(code)).toMatch(printed);
  });

  it('and there are several', () => {
    const pages = programs.map(({ where }) => where.split(' ')[0]);
    expect(pages).toEqual([...Array.from({ length: 5 }, () => 'docs/library.md'), 'README.md']);
  });
});

it('the guide lists every option, and no other', async () => {
  const library = await readFile(join(root, 'docs/library.md'), 'utf8');
  const section = library.split(/^## /m).find((each) => each.startsWith('Options')) ?? '';
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  // What JavaScript lets through; the refusal lists what is known.
  const wrong = { mcpServers: {} } as ToolyardOptions;
  const refused: unknown = await createToolyard(wrong).catch((error: unknown) => error);
  expect(String(refused)).toContain(`Known keys: ${listed.join(', ')}.`);
});
