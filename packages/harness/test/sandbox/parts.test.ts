// The pure parts: what bubblewrap is asked for, how tables of processes are read, and whose process is whose.
import { expect, test } from 'vitest';
import { toArguments, toOptions } from '../../src/sandbox/bubblewrap.ts';
import { createProcessTable, type ProcessRow, parsePs, parseStat } from '../../src/sandbox/process-table.ts';
import { findTree } from '../../src/sandbox/process-tree.ts';

test('a person gets the whole machine but the home', () => {
  const view = { hidden: ['/h'], cwd: '/w', env: { A: 'b' }, isRoot: false };
  expect(toOptions(view).join(' ')).toBe(
    '--dev-bind / / --proc /proc --tmpfs /h --tmpfs /h/run --remount-ro /h --unshare-pid --die-with-parent --chdir /w --clearenv --setenv A b',
  );
});

test('root gets no devices, a kernel it cannot change, and only the capabilities that work on files', () => {
  const view = { hidden: ['/h'], cwd: '/w', env: {}, isRoot: true };
  const options = toOptions(view).join(' ');
  expect(options).toContain('--bind / / --dev /dev --ro-bind-try /sys /sys --proc /proc');
  expect(options.indexOf('--cap-drop ALL')).toBeLessThan(options.indexOf('--cap-add'));
  expect(options).not.toMatch(/SYS_ADMIN|SYS_PTRACE|DAC_READ_SEARCH|MKNOD|SYS_CHROOT/);
});

test('the command and its arguments stay words of their own', () => {
  const line = toArguments('/bin/x', ['a b', '$c', '--']);
  expect(line.slice(-5)).toEqual(['toolyard', '/bin/x', 'a b', '$c', '--']);
});

test('a line of /proc/PID/stat is read whatever the program calls itself', () => {
  const rest = '33 44 44 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 1 0 98765 8000 200 18446744073709551615';
  const expected = { pid: 55, parentPid: 33, groupId: 44, startedAt: 'boot:98765' };
  expect(parseStat(`55 (sleep) S ${rest}`, 'boot')).toEqual({ ...expected, isAsleep: true });
  expect(parseStat(`55 (a ) Z (b) R ${rest}`, 'boot')).toEqual({ ...expected, isAsleep: false });
  expect(parseStat(`55 (sleep) Z ${rest}`, 'boot')).toBeUndefined();
});

test('what ps says on macOS is read, and who has ended is left out', () => {
  const text = `    1     0     1 Ss   Sat Nov 14 07:30:00 2026
  501     1   501 R+   Sat Nov 14 07:31:02 2026
 1502   501   501 Z    Sun Nov 15 05:00:00 2026

nonsense
`;
  expect(parsePs(text)).toEqual([
    { pid: 1, parentPid: 0, groupId: 1, startedAt: 'Sat Nov 14 07:30:00 2026', isAsleep: true },
    { pid: 501, parentPid: 1, groupId: 501, startedAt: 'Sat Nov 14 07:31:02 2026', isAsleep: false },
  ]);
});

test('this process stands in the table with its parent', async () => {
  const table = createProcessTable();
  const row = await table.find(process.pid);
  expect(row).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  const rows = [...(await table.list()), ...(await table.childrenOf(process.ppid))];
  expect(rows.filter(({ pid }) => pid === process.pid)).toMatchObject(
    Array(2).fill({ startedAt: row?.startedAt }),
  );
});

test('a tree is its leader, the group, the marked, and all their descendants', async () => {
  const row = (pid: number, parentPid: number, groupId: number): ProcessRow => ({
    pid,
    parentPid,
    groupId,
    startedAt: 'x',
    isAsleep: true,
  });
  const rows = [
    row(1, 0, 1),
    row(10, 1, 10), // the leader
    row(11, 10, 10), // its child
    row(12, 11, 12), // a grandchild in another group
    row(20, 1, 10), // lost its parent, kept the group
    row(30, 1, 30), // lost both, kept the mark
    row(31, 30, 31), // and had a child that dropped the mark
    row(40, 1, 40), // a stranger
    row(41, 40, 41),
  ];
  const marks: Record<number, string> = { 30: 'TOOLYARD_PROCESS=prc_a', 40: 'TOOLYARD_PROCESS=prc_b' };
  const table = {
    list: async () => rows,
    find: async (pid: number) => rows.find((each) => each.pid === pid),
    childrenOf: async (pid: number) => rows.filter(({ parentPid }) => parentPid === pid),
    hasInEnvironment: async (pid: number, text: string) => marks[pid] === text,
  };
  const sorted = async (found: Promise<number[]>) => (await found).sort((a, b) => a - b);
  expect(await sorted(findTree(table, { leader: 10, id: 'prc_a' }))).toEqual([10, 11, 12, 20, 30, 31]);
  expect(await sorted(findTree(table, { id: 'prc_a' }))).toEqual([30, 31]);
  const { hasInEnvironment: _, ...blind } = table;
  expect(await sorted(findTree(blind, { leader: 10, id: 'prc_a' }))).toEqual([10, 11, 12, 20]);
});
