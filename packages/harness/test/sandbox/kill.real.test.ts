// Ending what was started: by kill, by a signal, by closing the sandbox, and by the command's own end.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { familyScript, kinds } from './family.ts';
import { findProcesses, findSleepers, newNap, openTestSandbox, refusal, run, until } from './support.ts';

describe.each(kinds)('with a %s', (kind) => {
  test('P7: kill ends a child, a grandchild and a setsid daemon before it resolves', async () => {
    const { start, home } = await openTestSandbox(kind);
    const nap = newNap();
    const owned = await start('sh', ['-c', familyScript(nap)]);
    await until(() => findSleepers(nap).length === 3);
    await owned.kill();
    expect(findProcesses(nap)).toEqual([]);
    expect(await owned.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(readdirSync(join(home, 'processes'))).toEqual([]);
  });

  test('P7: what a command leaves running ends with the command', async () => {
    const sandbox = await openTestSandbox(kind);
    const nap = newNap();
    const { code } = await run(sandbox, `${familyScript(nap).replace('exec', 'false')} || exit 3`);
    expect(code).toBe(3);
    expect(findProcesses(nap)).toEqual([]);
  });

  test('a command that is asked may still say its last words', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sh', [
      '-c',
      'trap "echo saved; exit 5" TERM; echo ready; while :; do sleep 0.05; done',
    ]);
    const output = owned.stdout[Symbol.asyncIterator]();
    expect(String(await output.next().then(({ value }) => value))).toBe('ready\n');
    await owned.kill(5_000);
    expect(String(await output.next().then(({ value }) => value))).toBe('saved\n');
    expect(await owned.exited).toEqual({ code: 5, signal: null });
  });

  test('one that ignores the request is killed when the grace is over', async () => {
    const { start } = await openTestSandbox(kind);
    const nap = newNap();
    const owned = await start('sh', ['-c', `trap "" TERM; sleep ${nap}; sleep ${nap}`]);
    await until(() => findSleepers(nap).length === 1);
    const before = performance.now();
    await owned.kill(300);
    expect(performance.now() - before).toBeGreaterThan(290);
    expect(await owned.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(findProcesses(nap)).toEqual([]);
  });

  test('a second kill may be less patient than the first', async () => {
    const { start } = await openTestSandbox(kind);
    const nap = newNap();
    const owned = await start('sh', ['-c', `trap "" TERM; sleep ${nap}`]);
    await until(() => findSleepers(nap).length === 1);
    const patient = owned.kill(20_000);
    await owned.kill(0);
    await patient;
    expect(findProcesses(nap)).toEqual([]);
  });

  test('killing what has ended resolves at once', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('true');
    expect(await owned.exited).toEqual({ code: 0, signal: null });
    await owned.kill();
    await owned.kill(0);
  });

  test('an aborted signal ends it as kill does, and before the start prevents it', async () => {
    const { start, home } = await openTestSandbox(kind);
    const nap = newNap();
    const abort = new AbortController();
    const owned = await start('sh', ['-c', familyScript(nap)], { signal: abort.signal });
    await until(() => findSleepers(nap).length === 3);
    abort.abort();
    expect(await owned.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(findProcesses(nap)).toEqual([]);
    await expect(start('sleep', [nap], { signal: abort.signal })).rejects.toThrow(/aborted/);
    expect(findProcesses(nap)).toEqual([]);
    expect(readdirSync(join(home, 'processes'))).toEqual([]);
  });

  test('a signal that aborts during the start leaves nothing', async () => {
    const { start, home } = await openTestSandbox(kind);
    const nap = newNap();
    for (let delay = 0; delay < 45; delay += 3) {
      const outcome = await start('sleep', [nap], { signal: AbortSignal.timeout(delay) }).then(
        ({ exited }) => exited,
        (thrown: Error) => thrown.name,
      );
      expect([{ code: null, signal: 'SIGTERM' }, 'TimeoutError']).toContainEqual(outcome);
      expect(findProcesses(nap)).toEqual([]);
    }
    expect(readdirSync(join(home, 'processes'))).toEqual([]);
  });

  test('P7: closing ends everything that runs or is being started, and refuses more', async () => {
    const { start, sandbox } = await openTestSandbox(kind);
    const nap = newNap();
    const first = await start('sh', ['-c', familyScript(nap)]);
    await until(() => findSleepers(nap).length === 3);
    const second = start('sh', ['-c', familyScript(nap)]);
    await sandbox.close();
    expect(findProcesses(nap)).toEqual([]);
    expect([await first.exited, await (await second).exited]).toEqual(
      Array(2).fill({ code: null, signal: 'SIGTERM' }),
    );
    expect((await refusal(start('true'))).code).toBe('shutting_down');
  });

  test('twenty at once each end alone', async () => {
    const { start } = await openTestSandbox(kind);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => start('sh', ['-c', `echo ${index}; exec sleep 3600`])),
    );
    const [first, ...others] = all;
    await first?.kill();
    const said = await Promise.all(
      others.map(async (owned) => {
        const { value } = await owned.stdout[Symbol.asyncIterator]().next();
        return String(value).trim();
      }),
    );
    expect(said).toEqual(Array.from({ length: 19 }, (_, index) => String(index + 1)));
  });
});
