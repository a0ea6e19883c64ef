// What npm would give a user: both tarballs in an empty project, a program, its types, and the command.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGuidePrograms } from '../docs/guide-programs.ts';
import { type Packed, packAndInstall } from './pack.ts';

const tsc = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
const programs = await readGuidePrograms();
let packed: Packed;

beforeAll(async () => {
  packed = await packAndInstall();
}, 180_000);
afterAll(() => packed?.remove());

describe('the tarballs', () => {
  it('hold what is needed to run, and nothing of tests or sources', () => {
    const { toolyard, '@toolyard/sdk': sdk } = packed.contents;
    expect(sdk?.paths).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.d.ts', 'dist/index.js', 'package.json']),
    );
    expect(toolyard?.paths).toEqual(
      expect.arrayContaining([
        ...[
          'LICENSE',
          'README.md',
          'bin/toolyard.mjs',
          'data/prices.json',
          'dist/index.d.ts',
          'dist/index.js',
        ],
        ...['dist/rehearsal/scenarios/default.yaml', 'package.json', 'roles/assistant.md'],
        ...['dist/web/index.html', 'dist/web/icon.svg'],
      ]),
    );
    const all = [...(sdk?.paths ?? []), ...(toolyard?.paths ?? [])];
    const meant =
      /^(?:LICENSE|README\.md|package\.json|bin\/(?:toolyard|bundle)\.mjs|data\/\w+\.json|roles\/\w+\.md)$/;
    const built = /^dist\/(?:[\w/-]+\.(?:js|d\.ts|yaml)|web\/[\w/-]+\.(?:js|css|html|svg))$/;
    expect(all.filter((path) => !meant.test(path) && !built.test(path))).toEqual([]);
  });

  it('are small', () => {
    expect(packed.contents['@toolyard/sdk']?.bytes).toBeLessThan(150_000);
    // About half of it is the page.
    expect(packed.contents.toolyard?.bytes).toBeLessThan(1_000_000);
  });
});

describe('a program', () => {
  it('of the README runs as it stands', async () => {
    const { code = '', printed = /^$/ } = programs.find(({ where }) => where.startsWith('README')) ?? {};
    await writeFile(join(packed.project, 'program.ts'), code);
    const { stdout, stderr } = await packed.run('node', ['program.ts']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(printed);
  });

  it('of any guide fits the types, which need no others than their own', async () => {
    const files = programs.map(({ code }, index) => ({ name: `guide-${index}.ts`, code }));
    const wrong = "import { createToolyard } from 'toolyard';\nawait createToolyard({ toolkit: [] });\n";
    for (const { name, code } of [...files, { name: 'wrong.ts', code: wrong }])
      await writeFile(join(packed.project, name), code);
    const checked = packed.run(tsc, [
      ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--lib', 'esnext,dom'],
      ...['--types', '', '--ignoreConfig', 'wrong.ts', ...files.map(({ name }) => name)],
    ]);
    const stdout = await checked.then(
      () => '',
      (failed: { stdout: string }) => failed.stdout,
    );
    // The only one that is wrong.
    expect(stdout.match(/^.*error TS.*$/gm)).toEqual([expect.stringMatching(/^wrong\.ts.*'toolkit'/)]);
  });
});

describe('the command', () => {
  const toolyard = (...args: string[]) =>
    packed.run(join(packed.project, 'node_modules/.bin/toolyard'), args);

  it('says its version', async () => {
    expect(await toolyard('--version')).toEqual({ stdout: `${version}\n`, stderr: '' });
  });

  it('answers by a server of its own, which speaks of `toolyard` and not of npm', async () => {
    const { stdout, stderr } = await toolyard('run', '--mode', 'acceptEdits', 'ping the server');
    expect(stdout).toContain('It answered `pong`');
    expect(stderr).toContain('toolyard run --session');
    expect(stderr).not.toContain('npm start');
  });
});
