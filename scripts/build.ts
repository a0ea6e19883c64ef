// Builds what `npm pack` packs: JavaScript and its types in `dist`, and the licence beside it. Called by the `prepack` of
// each package with the packages to build, in order; nothing in a clone needs it. Types are checked by `npm run check`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** What the code reads at run time and no compiler carries over. */
const assets = ['**/*.yaml'];

function build(name: string): void {
  const folder = join(root, 'packages', name);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  // npm takes what a lifecycle script prints to stdout for a part of its own answer.
  const { status } = spawnSync(tsc, ['-p', join(folder, 'tsconfig.build.json')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`tsc could not build ${name}`);
  pruneTypes(dist, readEntries(folder));
  for (const path of globSync(assets, { cwd: join(folder, 'src') })) {
    cpSync(join(folder, 'src', path), join(dist, path));
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** The types that the package offers by name. */
function readEntries(folder: string): string[] {
  // Our own package.json, which npm has already read.
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string }>;
  };
  return Object.values(exports).map(({ types }) => join(folder, types));
}

/** Types that no entry leads to can be imported by nobody. */
function pruneTypes(dist: string, entries: readonly string[]): void {
  const kept = new Set(entries);
  for (const path of kept) {
    const targets = readFileSync(path, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g);
    for (const [, target] of targets) kept.add(join(dirname(path), `${target}.d.ts`));
  }
  for (const path of globSync('**/*.d.ts', { cwd: dist })) {
    if (!kept.has(join(dist, path))) rmSync(join(dist, path));
  }
}

/** The page goes along with the server that shows it. */
function buildPage(): void {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'error'];
  const { status } = spawnSync(process.execPath, args, {
    cwd: join(root, 'packages', 'web'),
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the page could not be built');
}

for (const name of process.argv.slice(2)) build(name);
if (process.argv.includes('harness')) buildPage();
