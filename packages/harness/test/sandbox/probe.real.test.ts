// What the machine can do is found out by doing it.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeSandbox } from '../../src/sandbox/probe.ts';
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

test('a bubblewrap that works is found and proved', async () => {
  expect(await reportOf('namespace')).toEqual({
    kind: 'namespace',
    bubblewrap: expect.stringMatching(/\/bwrap$/),
  });
});

test('it is asked once', async () => {
  const path = pathWith('echo asked >> "$0.log"; exit 1');
  await Promise.all([probeSandbox({ PATH: path }), probeSandbox({ PATH: path })]);
  await probeSandbox({ PATH: path });
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(join(path, 'bwrap.log'), 'utf8')).toBe('asked\n');
});

test('without it, processes are owned as groups, and the reason is said', async () => {
  expect(await probeSandbox({ PATH: '/nowhere' })).toEqual({
    kind: 'group',
    reason: 'bubblewrap (bwrap) is not installed',
  });
});

test('one that is installed and refused by the system gives its own reason', async () => {
  const path = pathWith('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
  expect(await probeSandbox({ PATH: path })).toEqual({
    kind: 'group',
    reason: '/bin/sh could not be started: bwrap: setting up uid map: Permission denied',
  });
});

test('one that only pretends is seen through', async () => {
  // Runs the command as a child, with no namespace at all.
  const path = pathWith('shift 3; "$@" 4<&- <&0 & wait');
  expect(await probeSandbox({ PATH: path })).toEqual({
    kind: 'group',
    reason: 'bubblewrap ran but did not hide a folder',
  });
});
