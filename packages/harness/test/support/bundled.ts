// Bundles a test's server program with all that it imports, which halves its start; the tests have hundreds of them. The
// bundle is cached beside compiled code and made again when a source has changed.
import { createHash } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { inPlace } from '../../../../scripts/in-place.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const cache = join(root, 'packages/harness/.cache');
const sources = ['packages/{harness,sdk}/src/**/*.ts', 'packages/*/test/**/*.ts', 'package-lock.json'];
const dayMs = 24 * 3_600_000;

/** They are loaded on first use only, and look for files beside their own. */
const engineLibraries = [/^@anthropic-ai\//, /^@ai-sdk\//, /^@modelcontextprotocol\//, 'ai'];

/** Where the bundle of this TypeScript program is. */
export async function bundled(program: string): Promise<string> {
  const folder = join(cache, `${basename(program, '.ts')}-${keyOfSources()}`);
  const file = join(folder, `${basename(program, '.ts')}.js`);
  if (await exists(file)) return file;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  const build = await rolldown({
    input: program,
    platform: 'node',
    logLevel: 'silent',
    external: engineLibraries,
    resolve: { conditionNames: ['toolyard-source', 'node', 'import', 'default'] },
    plugins: [inPlace],
  });
  await build.write({ dir: made });
  // Another worker may have made the same meanwhile.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  await removeOld(basename(program, '.ts'));
  return file;
}

/** Those of sources that have changed since; a run that is under way keeps its own. */
async function removeOld(name: string): Promise<void> {
  for (const other of globSync(`${name}-*`, { cwd: cache })) {
    const path = join(cache, other);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > dayMs) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

function keyOfSources(): string {
  const key = createHash('sha256');
  for (const path of globSync(sources, { cwd: root }).sort()) {
    const { mtimeMs, size } = statSync(join(root, path));
    key.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return key.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
