// What a clone runs: the bundle as long as it was made of the sources as they are, and else the sources.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const harness = fileURLToPath(new URL('../..', import.meta.url));
const repository = join(harness, '../..');
const run = promisify(execFile);
const fromSource = '--conditions=toolyard-source';

describe('a clone', () => {
  let root = '';

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-bundle-')));
    onTestFinished(() => rm(root, { recursive: true }));
    await cp(join(harness, 'bin'), join(root, 'packages/harness/bin'), { recursive: true });
    await cp(join(harness, 'package.json'), join(root, 'packages/harness/package.json'));
    await write('src/cli/main.ts', 'sources');
    await write('dist/cli/main.js', 'built');
    await write('.cache/bundle-1/main.js', 'bundle');
    await list(await toState('src/cli/main.ts'));
  });

  async function write(path: string, said: string): Promise<void> {
    const file = join(root, 'packages/harness', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `process.stdout.write('${said}');\n`);
  }

  async function toState(path: string): Promise<string> {
    const { mtimeMs, size } = await stat(join(root, 'packages/harness', path));
    return `${mtimeMs} ${size}`;
  }

  function list(state: string): Promise<void> {
    const sources = [['packages/harness/src/cli/main.ts', state]];
    const text = JSON.stringify({ main: 'bundle-1/main.js', sources });
    return writeFile(join(root, 'packages/harness/.cache/bundle.json'), text);
  }

  async function start(...args: string[]): Promise<string> {
    const command = join(root, 'packages/harness/bin/toolyard.mjs');
    return (await run(process.execPath, [...args, command])).stdout;
  }

  it('runs the bundle that was made of its sources', async () => {
    expect(await start(fromSource)).toBe('bundle');
  });

  it('runs its sources as soon as one of them is another, or gone', async () => {
    await write('src/cli/main.ts', 'sources, changed');
    expect(await start(fromSource)).toBe('sources, changed');
    await list(await toState('src/cli/main.ts'));
    expect(await start(fromSource)).toBe('bundle');
    await writeFile(
      join(root, 'packages/harness/.cache/bundle.json'),
      JSON.stringify({ main: 'bundle-1/main.js', sources: [['packages/harness/src/gone.ts', '1 1']] }),
    );
    expect(await start(fromSource)).toBe('sources, changed');
  });

  it('runs its sources when the bundle is gone, or what it was made of cannot be read', async () => {
    await rm(join(root, 'packages/harness/.cache/bundle-1'), { recursive: true });
    expect(await start(fromSource)).toBe('sources');
    await writeFile(join(root, 'packages/harness/.cache/bundle.json'), '{');
    expect(await start(fromSource)).toBe('sources');
  });

  it('that was installed as a package runs what was built', async () => {
    expect(await start()).toBe('built');
  });
});

it('the bundled command says what its sources say', async () => {
  await run(process.execPath, [join(repository, 'scripts/bundle.mjs')]);
  const list = await readFile(join(harness, '.cache/bundle.json'), 'utf8');
  const bundled = join(harness, '.cache', JSON.parse(list).main);
  const said = await run(process.execPath, [fromSource, bundled, 'sessions', '--help']);
  expect(said).toEqual(
    await run(process.execPath, [fromSource, join(harness, 'src/cli/main.ts'), 'sessions', '--help']),
  );
  const { stdout } = await run(process.execPath, [fromSource, bundled, '--version']);
  expect(stdout).toBe('development\n');
});
