// Makes few files of the command's sources and of libraries that are hundreds of files, so that a clone starts in less
// than half the time. Plain JavaScript like ensure.mjs, which calls it. Nothing needs what it makes: see bin/bundle.mjs.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { cache, listFile, toState } from '../packages/harness/bin/bundle.mjs';
import { inPlace } from './in-place.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** A change of a library changes none of our sources. */
const versions = ['package-lock.json', 'node_modules/.package-lock.json', 'packages/harness/package.json'];
/** All others stay where they are: they look for files beside themselves, or share zod's types with us. */
const libraries = /^(@toolyard\/sdk|kysely|yaml|ws|hono|@hono\/node-server)(\/|$)/;
const weekMs = 7 * 24 * 3_600_000;

function isOutside(name, from) {
  const isOfPackage = !/^[./\0]/.test(name);
  return isOfPackage && !libraries.test(name) && !from?.includes('/node_modules/');
}

const states = new Map();
const note = {
  name: 'note',
  load(path) {
    if (path.startsWith(join(root, 'packages')))
      states.set(relative(root, path), toState(relative(root, path)));
  },
};

const build = await rolldown({
  input: join(root, 'packages/harness/src/cli/main.ts'),
  platform: 'node',
  logLevel: 'silent',
  external: isOutside,
  resolve: { conditionNames: ['toolyard-source', 'node', 'import', 'default'] },
  plugins: [note, inPlace],
});
for (const path of versions) states.set(path, toState(path));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'bundle-'));
await build.write({ dir: folder, format: 'esm' });
const sources = [...states].filter(([, state]) => state !== undefined);
const list = `${folder}/sources.json`;
writeFileSync(list, JSON.stringify({ main: join(basename(folder), 'main.js'), sources }));
renameSync(list, listFile);

// A server that runs on an older one still loads parts of it.
for (const name of readdirSync(cache).filter((each) => each.startsWith('bundle-'))) {
  const path = join(cache, name);
  if (path !== folder && statSync(path).mtimeMs < Date.now() - weekMs) rmSync(path, { recursive: true });
}
