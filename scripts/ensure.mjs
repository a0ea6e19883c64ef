// Installs dependencies when they are missing or older than the lock file, builds the page when it is missing or older
// than its sources, and bundles the command for whoever starts it. Plain JavaScript on purpose: it must run under
// whatever Node the machine has, before the project's own Node is there.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBundle } from '../packages/harness/bin/bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function modifiedAt(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) {
  process.stderr.write('Installing dependencies (once)…\n');
  const npm = process.env.npm_execpath;
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, commandArgs] = npm ? [process.execPath, [npm, ...args]] : ['npm', args];
  const { status } = spawnSync(command, commandArgs, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write('npm install failed. Run it by hand in this folder to see why.\n');
    process.exit(status ?? 1);
  }
}

/** When anything in these files and folders last changed. */
function newest(paths) {
  const times = paths.flatMap((path) => {
    const isFolder = statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory();
    const inside = isFolder ? readdirSync(join(root, path)).map((name) => join(path, name)) : [];
    return [modifiedAt(path), ...(inside.length > 0 ? [newest(inside)] : [])];
  });
  return Math.max(0, ...times);
}

const pageSources = ['packages/web', 'packages/sdk/src', 'package-lock.json'];
if (modifiedAt('packages/harness/dist/web/index.html') < newest(pageSources)) {
  process.stderr.write('Building the page…\n');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'error'];
  const { status } = spawnSync(process.execPath, args, {
    cwd: join(root, 'packages/web'),
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

// Whoever checks or tests what was just changed is better off without waiting for it.
const isStart = ['prestart', 'prebench'].includes(process.env.npm_lifecycle_event ?? '');
if (isStart && !findBundle()) {
  process.stderr.write('Bundling the command…\n');
  // Without it the sources run, only slower.
  spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { cwd: root, stdio: 'ignore' });
}
