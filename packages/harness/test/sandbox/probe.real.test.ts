// What the machine can do is found out by doing it.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../src/core/operator-log/logger.ts';
import { readText } from '../../src/sandbox/pipes.ts';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { reportOf } from './family.ts';
import { newFolders } from './support.ts';

/** A folder whose `bwrap` is this script, as the PATH. */
function pathWith(script: string): string {
  const { workspace } = newFolders();
  const folder = join(workspace, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bwrap'), 0o755);
  return folder;
}

/** Without a look into the folders of the system first. */
const probeIn = (path: string) => probeSandbox({ PATH: path }, []);

async function realBubblewrap(): Promise<string> {
  const report = await reportOf('namespace');
  return report.kind === 'namespace' ? report.bubblewrap : 'bwrap';
}

test('a bubblewrap that works is found and proved', async () => {
  expect(await reportOf('namespace')).toEqual({
    kind: 'namespace',
    bubblewrap: expect.stringMatching(/\/bwrap$/),
  });
});

test('it is asked until it works, and then remembered', async () => {
  const path = pathWith(
    `echo asked >> "$0.log"; [ -e "$0.works" ] || exit 1; exec ${await realBubblewrap()} "$@"`,
  );
  const ask = () => probeIn(path);
  expect((await Promise.all([ask(), ask()])).map(({ kind }) => kind)).toEqual(['failed', 'failed']);
  writeFileSync(join(path, 'bwrap.works'), '');
  for (let again = 0; again < 3; again++)
    expect(await ask()).toEqual({ kind: 'namespace', bubblewrap: join(path, 'bwrap') });
  expect(readFileSync(join(path, 'bwrap.log'), 'utf8')).toBe('asked\nasked\n');
});

test('S8: while it fails no process runs, the next one does, and full control does without', async () => {
  const { home, workspace } = newFolders();
  const path = pathWith(`[ -e "$0.works" ] || exit 1; exec ${await realBubblewrap()} "$@"`);
  let isFullControl = false;
  const sandbox = await openSandbox({
    home,
    env: process.env,
    logger: silentLogger,
    mayRunUnconfined: () => isFullControl,
    probe: () => probeIn(path),
  });
  onTestFinished(() => sandbox.close());
  const seesHome = async () => {
    const spec = { command: 'ls', args: [home], cwd: workspace, env: {}, purpose: 'test' };
    const { stdout, exited } = await sandbox.spawn(spec);
    const [text] = await Promise.all([readText(stdout, 1_000), exited]);
    return text.includes('processes');
  };
  await expect(seesHome()).rejects.toMatchObject({
    code: 'process_failed',
    message: expect.stringContaining('it would not be confined'),
  });
  isFullControl = true;
  expect(await seesHome()).toBe(true);
  isFullControl = false;
  writeFileSync(join(path, 'bwrap.works'), '');
  expect(await seesHome()).toBe(false);
});

test('S8: one that lies in front of the system’s in PATH is not run: an agent may have put it there', async () => {
  const path = pathWith('echo run >> "$0.log"; exit 1');
  expect(await probeSandbox({ PATH: `${path}:${process.env.PATH}` })).toEqual(await reportOf('namespace'));
  expect(existsSync(join(path, 'bwrap.log'))).toBe(false);
});

test('without it, processes are owned as groups, and the reason is said', async () => {
  expect(await probeIn('/nowhere')).toEqual({
    kind: 'group',
    reason: 'bubblewrap (bwrap) is not installed',
  });
});

test('one that is installed and refused by the system gives its own reason', async () => {
  const path = pathWith('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
  expect(await probeIn(path)).toEqual({
    kind: 'failed',
    reason: '/bin/sh could not be started: bwrap: setting up uid map: Permission denied',
  });
});

test('one that only pretends is seen through', async () => {
  // Runs the command as a child, with no namespace at all.
  const path = pathWith('shift 3; "$@" 4<&- <&0 & wait');
  expect(await probeIn(path)).toEqual({
    kind: 'failed',
    reason: 'bubblewrap ran but did not hide a folder',
  });
});
