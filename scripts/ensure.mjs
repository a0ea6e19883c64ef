// Installs dependencies when they are missing or older than the lock file. Plain JavaScript on purpose:
// it must run under whatever Node the machine has, before the project's own Node is there.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
