// Makes the fixture: `node --conditions=toolyard-source make.ts COMMIT`, in a clone with its whole history and its modules
// installed. That version begins, is killed, and tells on a copy what becomes of it. Made with ca1307f.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkOut, root } from '../../support/old-sources.ts';

const here = import.meta.dirname;

function tell(folder: string, half: 'begin' | 'finish', home: string): string {
  const program = `
    const { openYard } = await import(${JSON.stringify(join(folder, 'packages/harness/src/app.ts'))});
    const story = await import(${JSON.stringify(join(here, 'story.ts'))});
    const seen = await story.${half}(openYard, ${JSON.stringify(home)});
    if (seen === undefined) process.kill(process.pid, 'SIGKILL');
    process.stdout.write(JSON.stringify(seen));
    process.exit(0);`;
  const args = ['--conditions=toolyard-source', '--input-type=module', '-e', program];
  const { stdout, signal, status } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (half === 'begin' ? signal !== 'SIGKILL' : status !== 0) throw new Error(`${half} has failed`);
  return stdout;
}

function make(commit: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-fixture-'));
  try {
    checkOut(commit, folder);
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    tell(folder, 'begin', home);
    for (const name of ['toolyard.db', 'toolyard.db-wal'])
      writeFileSync(join(here, `${name}.gz`), gzipSync(readFileSync(join(home, name)), { level: 9 }));
    const copy = join(folder, 'copy');
    mkdirSync(copy, { mode: 0o700 });
    for (const name of ['toolyard.db', 'toolyard.db-wal']) cpSync(join(home, name), join(copy, name));
    const at = new Date().toISOString();
    const seen = JSON.parse(tell(folder, 'finish', copy));
    writeFileSync(join(here, 'seen.json'), JSON.stringify({ at, seen }));
    execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', join(here, 'seen.json')]);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

for (const commit of process.argv.slice(2)) make(commit);
