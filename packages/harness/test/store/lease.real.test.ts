// Ownership: one owner at a time, a dead one is replaced at once, and a paused one cannot write when it wakes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pause, type ToolyardError } from '@toolyard/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../src/store/check.ts';
import { migrations } from '../../src/store/migrations/list.ts';
import { startChild } from './child-process.ts';
import { addSession, append, host, readTexts } from './rows.ts';
import { clockAhead, newPath, openRaw, openTestStore, refusal } from './support.ts';

/** Never the number of a process that lives: Linux counts to 2^22, other systems not so far. */
const deadPid = 2 ** 22 + 1;
const staleMs = 15_500;

function readOwner(path: string) {
  const row = openRaw(path).prepare('SELECT epoch, held, pid, host, since, beat_at FROM owner').get();
  return { ...row };
}

describe('a home that is in use', () => {
  test('is refused, with the process, host and time of its owner', async () => {
    const path = newPath();
    const child = startChild(path, 'own');
    expect(await child.next()).toBe('open');
    const { code, message, data } = await refusal(openTestStore(path));
    const since = readOwner(path).since;
    expect({ code, data }).toEqual({ code: 'home_in_use', data: { pid: child.pid, host, since } });
    expect(message).toContain(`process ${child.pid} on ${host}`);
  });

  test('is free as soon as its owner has closed it, though the process lives on', async () => {
    const path = newPath();
    const { store } = await openTestStore(path, { owner: { pid: process.ppid, host } });
    await store.close();
    await openTestStore(path);
    expect(readOwner(path)).toMatchObject({ epoch: 2, held: 1, pid: process.pid });
  });

  test('is free as soon as its owner was killed', async () => {
    const path = newPath();
    const child = startChild(path, 'own');
    await child.next();
    child.process.kill('SIGKILL');
    await child.gone;
    await openTestStore(path);
    expect(readOwner(path)).toMatchObject({ epoch: 2, pid: process.pid });
  });

  test('goes to exactly one of several that start in the same moment', async () => {
    const path = newPath();
    const children = Array.from({ length: 4 }, () => startChild(path, 'own'));
    const words = await Promise.all(children.map((child) => child.next()));
    expect(words.sort()).toEqual(['home_in_use', 'home_in_use', 'home_in_use', 'open']);
  });

  test.each([
    ['an owner on another host that beats', { pid: deadPid, host: 'elsewhere' }, 0, 'home_in_use'],
    ['an owner on another host that went silent', { pid: deadPid, host: 'elsewhere' }, staleMs, 'open'],
    [
      'an owner on another host whose clock is far ahead',
      { pid: deadPid, host: 'elsewhere' },
      -60_000,
      'open',
    ],
    ['a process of this host that lives and beats', { pid: process.ppid, host }, 0, 'home_in_use'],
    ['a process of this host that lives and went silent', { pid: process.ppid, host }, staleMs, 'open'],
    ['a process of this host that is gone', { pid: deadPid, host }, 0, 'open'],
    ['an earlier process with our own number', { pid: process.pid, host }, 0, 'open'],
  ])('is judged by its owner: %s', async (_, owner, ahead, expected) => {
    const path = newPath();
    await openTestStore(path, { owner });
    const opened = openTestStore(path, { clock: clockAhead(ahead) });
    expect(
      await opened.then(
        () => 'open',
        (error: ToolyardError) => error.code,
      ),
    ).toBe(expected);
  });

  test('is not called damaged because its owner changes the schema during the look', async () => {
    const path = newPath();
    await openTestStore(path, { owner: { pid: deadPid, host } });
    // The clock is read between the look at the version and the look at the schema.
    const clock = {
      now() {
        openRaw(path).exec('ALTER TABLE checkpoints RENAME TO elsewhere');
        return Date.now();
      },
    };
    const claim = { owner: { pid: process.pid, host, instance: 'late' }, clock };
    await checkDatabase(path, { busyTimeoutMs: 1_000, migrations, claim });
  });

  test('shows that its owner lives by a beat of its clock', async () => {
    const path = newPath();
    const clock = { time: 1_000_000, now: () => clock.time };
    await openTestStore(path, { clock }, { heartbeatIntervalMs: 10 });
    clock.time = 2_000_000;
    await expect.poll(() => readOwner(path).beat_at).toBe(2_000_000);
  });
});

describe('P10: a paused owner cannot write after takeover', () => {
  test('a stopped process wakes up and is refused', async () => {
    const path = newPath();
    const child = startChild(path, 'own');
    await child.next();
    child.process.kill('SIGSTOP');
    expect((await refusal(openTestStore(path))).code).toBe('home_in_use');
    const { store } = await openTestStore(path, { clock: clockAhead(staleMs) });
    await addSession(store);
    await append(store, 'by the new owner');
    child.process.kill('SIGCONT');
    child.tell('by the old owner');
    child.tell('once more');
    expect([await child.next(), await child.next()]).toEqual(['owner_lost', 'owner_lost']);
    expect(await readTexts(store)).toEqual(['by the new owner']);
  });

  test('every write under way and every later one is refused, and the loss is told once', async () => {
    const path = newPath();
    const lost: ToolyardError[] = [];
    const { store: old } = await openTestStore(path, {
      owner: { pid: process.ppid, host },
      onLost: (error) => lost.push(error),
    });
    await addSession(old);
    const { store } = await openTestStore(path, { clock: clockAhead(staleMs) });
    const together = await Promise.allSettled([append(old, 'a'), append(old, 'b')]);
    const later = await refusal(append(old, 'c'));
    const reasons = together.map((one) => (one.status === 'rejected' ? one.reason : undefined));
    expect(lost).toHaveLength(1);
    expect([...reasons, later]).toEqual([lost[0], lost[0], lost[0]]);
    expect(later).toMatchObject({ code: 'owner_lost', data: { pid: process.pid, host } });
    expect(await readTexts(store)).toEqual([]);
  });

  test('an owner that only beats learns of the loss as well', async () => {
    const path = newPath();
    const lost: ToolyardError[] = [];
    const owner = { pid: process.ppid, host };
    await openTestStore(path, { owner, onLost: (error) => lost.push(error) }, { heartbeatIntervalMs: 10 });
    await openTestStore(path, { clock: clockAhead(staleMs) });
    await expect.poll(() => lost.map(({ code }) => code)).toEqual(['owner_lost']);
  });

  test('closing an owner that has lost leaves the new one in place', async () => {
    const path = newPath();
    const { store: old } = await openTestStore(path, { owner: { pid: process.ppid, host } });
    const { store } = await openTestStore(path, { clock: clockAhead(staleMs) });
    await old.close();
    await addSession(store);
    expect(readOwner(path)).toMatchObject({ epoch: 2, held: 1, pid: process.pid });
  });
});

test('an owner that was killed and not yet taken note of by its parent does not hold the home', async () => {
  const pid = await startZombie();
  const path = newPath();
  await openTestStore(path, { owner: { pid, host: 'x' } });
  const { store } = await openTestStore(path, { owner: { pid: process.ppid, host: 'x' } });
  await addSession(store);
});

/** A process that has ended and is still listed, since its parent does not look after it. */
async function startZombie(): Promise<number> {
  for (;;) {
    // The shell becomes a program that never looks after the child it had, unless the child was quicker.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    for (let state = readState(pid); state; state = readState(pid)) {
      if (state === 'Z') return pid;
      await pause(5);
    }
  }
}

function readState(pid: number): string | undefined {
  try {
    return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
