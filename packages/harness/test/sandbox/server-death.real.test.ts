// P7 as a user meets it: the server is killed with -9, and what it had started is gone. Real processes, real bubblewrap.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { reportOf } from './family.ts';
import {
  findProcesses,
  findSleepers,
  newFolders,
  newNap,
  openTestSandbox,
  startServer,
  until,
} from './support.ts';

const sleepersInFamily = 3;

test('P7: a child, a grandchild and a setsid daemon are gone 2 s after kill -9 of the server', async () => {
  const nap = newNap();
  const server = startServer({ ...newFolders(), kind: 'namespace', nap, count: 2 });
  await until(() => findSleepers(nap).length === 2 * sleepersInFamily);
  await server.kill();
  await until(() => findProcesses(nap).length === 0, 2_000);
});

test('P7: a server that dies before bubblewrap is bound to it leaves no command running', async () => {
  const nap = newNap();
  const folders = newFolders();
  const report = await reportOf('namespace');
  const bubblewrap = join(folders.workspace, 'bwrap');
  const real = report.kind === 'namespace' ? report.bubblewrap : '';
  writeFileSync(bubblewrap, `#!/bin/sh\nsleep 0.1; kill -KILL $PPID; sleep 0.1; exec ${real} "$@"\n`, {
    mode: 0o755,
  });
  const server = startServer({ ...folders, kind: 'namespace', nap, count: 1, bubblewrap });
  await server.gone;
  await until(() => findProcesses(nap).length === 0, 2_000);
  await sleep(200);
  expect(findProcesses(nap)).toEqual([]);
});

test('P7: kill -9 at any moment of a start leaves no command running, and the next start finds nothing left', async () => {
  for (let round = 0; round < 5; round += 1) {
    const nap = newNap();
    const folders = newFolders();
    const server = startServer({ ...folders, kind: 'namespace', nap, count: 3 });
    await server.said();
    await sleep(Math.random() * 25);
    await server.kill();
    // All that may be left is a bubblewrap that has not begun; it waits for ever and runs nothing.
    await until(() => findProcesses(nap).every(({ command }) => !/^(sh|sleep) /.test(command)), 2_000);
    await sleep(20);
    expect(findSleepers(nap)).toEqual([]);
    await openTestSandbox('namespace', folders);
    expect(findProcesses(nap)).toEqual([]);
  }
}, 60_000);

test('P7: without namespaces, the next start ends the child, the grandchild and the daemon', async () => {
  const nap = newNap();
  const folders = newFolders();
  const server = startServer({ ...folders, kind: 'group', nap, count: 2 });
  await until(() => findSleepers(nap).length === 2 * sleepersInFamily);
  await server.kill();
  // The commands themselves die at once; their children and daemons are left.
  await until(() => findSleepers(nap).length === 2 * (sleepersInFamily - 1), 2_000);
  const { logged } = await openTestSandbox('group', folders);
  expect(findProcesses(nap)).toEqual([]);
  expect(logged).toEqual(Array(2).fill('ended leftover processes of a dead server'));
});
