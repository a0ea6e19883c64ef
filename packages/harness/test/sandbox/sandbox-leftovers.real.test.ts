// Leftovers of a dead server: ended by number and start time or by their mark, and nobody else is.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessTable } from '../../src/sandbox/process-table.ts';
import { findSleepers, newFolders, newNap, openTestSandbox, until } from './support.ts';

const id = 'prc_00112233445566778899aabb';
const intent = { id, purpose: 'a test', command: '/usr/bin/sleep' };

/** A process nobody's record has started, in a group of its own. */
async function startStranger(nap: string, mark?: string): Promise<{ child: ChildProcess; pid: number }> {
  const env = { PATH: process.env.PATH, ...(mark && { TOOLYARD_PROCESS: mark }) };
  const child = spawn('sleep', [nap], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => findSleepers(nap).length === 1);
  return { child, pid: child.pid ?? 0 };
}

function writeRecord(home: string, ...lines: unknown[]): void {
  mkdirSync(join(home, 'processes'), { recursive: true });
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(join(home, 'processes', `${id}.json`), text);
}

function readLines(folder: string): unknown[] {
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const lines = text
    .join('')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line): unknown => JSON.parse(line));
}

async function startedAt(pid: number): Promise<string> {
  return (await createProcessTable().find(pid))?.startedAt ?? '';
}

test('a process with the number and the start time of a record is ended', async () => {
  const folders = newFolders();
  const nap = newNap();
  const { pid, child } = await startStranger(nap);
  const exit = once(child, 'exit');
  writeRecord(folders.home, intent, { pid, startedAt: await startedAt(pid) });
  const { logged } = await openTestSandbox('group', folders);
  expect(findSleepers(nap)).toEqual([]);
  expect((await exit)[1]).toBe('SIGKILL');
  expect(logged).toEqual(['ended leftover processes of a dead server']);
  expect(readdirSync(join(folders.home, 'processes'))).toEqual([]);
});

test('P7: a number that was used again by another process is left alone', async () => {
  const folders = newFolders();
  const nap = newNap();
  const { pid } = await startStranger(nap);
  // Two processes are never started in the same hundredth of a second with the same number.
  await sleep(20);
  const { pid: later } = await startStranger(newNap());
  writeRecord(folders.home, intent, { pid, startedAt: await startedAt(later) });
  const { logged } = await openTestSandbox('group', folders);
  expect(findSleepers(nap)).toEqual([pid]);
  expect(logged).toEqual([]);
  expect(readdirSync(join(folders.home, 'processes'))).toEqual([]);
});

test('P7: a process whose server died before it could note the number is found by its mark', async () => {
  const folders = newFolders();
  const naps = [newNap(), newNap()] as const;
  await startStranger(naps[0], id);
  await startStranger(naps[1], 'prc_ffffffffffffffffffffffff');
  writeRecord(folders.home, intent);
  await openTestSandbox('group', folders);
  expect(findSleepers(naps[0])).toEqual([]);
  expect(findSleepers(naps[1])).toHaveLength(1);
});

test.each([
  ['an empty file', ''],
  ['half a line', '{"id":"prc_00'],
  ['an id that is none', '{"id":"","purpose":"p","command":"c"}'],
  ['a number that is no process', `${JSON.stringify(intent)}\n{"pid":1,"startedAt":"x"}`],
  ['a negative number', `${JSON.stringify(intent)}\n{"pid":-1,"startedAt":"x"}`],
])('%s in place of a record ends nothing and is cleared away', async (_, text) => {
  const folders = newFolders();
  writeRecord(folders.home, text);
  const { logged } = await openTestSandbox('group', folders);
  expect(logged).toEqual([]);
  expect(readdirSync(join(folders.home, 'processes'))).toEqual([]);
});

test("a record says who is owned, for its owner's eyes only, and goes with the process", async () => {
  const { start, home } = await openTestSandbox('group');
  const owned = await start('sleep', [newNap()]);
  const folder = join(home, 'processes');
  const expected = { pid: owned.pid, startedAt: await startedAt(owned.pid) };
  await until(() => readLines(folder).length === 2);
  expect(readLines(folder)).toEqual([
    { id: expect.stringMatching(/^prc_[0-9a-f]{24}$/), purpose: 'a test', command: '/usr/bin/sleep' },
    expected,
  ]);
  expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
  await owned.kill();
  expect(readdirSync(folder)).toEqual([]);
});
