// Bytes in and out: nothing is lost, memory stays bounded, and a broken pipe breaks nothing else.
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OwnedProcess } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { kinds } from './family.ts';
import { openTestSandbox, refusal, run, textOf } from './support.ts';

const megabyte = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of chunks that somebody still holds on to. */
function held(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe.each(kinds)('with a %s', (kind) => {
  test('100 MB for a slow reader arrive whole and never take more than a few in memory', async () => {
    const { start } = await openTestSandbox(kind);
    const before = held();
    const owned = await start('head', ['-c', String(100 * megabyte), '/dev/zero']);
    let isOver = false;
    owned.exited.then(() => {
      isOver = true;
    });
    await sleep(300);
    // Nobody has read yet: the process is held back, not collected.
    expect({ isOver, small: held() - before < 2 * megabyte }).toEqual({ isOver: false, small: true });
    let total = 0;
    let chunks = 0;
    let max = 0;
    for await (const chunk of owned.stdout) {
      total += chunk.length;
      chunks += 1;
      if (chunks < 20) await sleep(10);
      // To look collects what was read so far: rarely, but before that alone is too much.
      if (chunks < 20 ? chunks % 5 === 0 : chunks % 100 === 0) max = Math.max(max, held() - before);
    }
    expect(total).toBe(100 * megabyte);
    expect(await owned.exited).toEqual({ code: 0, signal: null });
    expect(max).toBeLessThan(10 * megabyte);
  });

  test('a process that does not read holds its writer back, and loses nothing', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sh', ['-c', 'sleep 0.5; wc -c']);
    const chunk = Buffer.alloc(64 * 1024);
    let written = 0;
    const writing = (async () => {
      for (let count = 0; count < 400; count += 1) {
        await owned.stdin.write(chunk);
        written += chunk.length;
      }
      await owned.stdin.end();
    })();
    await sleep(250);
    expect(written).toBeLessThan(2 * megabyte);
    await writing;
    expect((await textOf(owned.stdout)).trim()).toBe(String(400 * chunk.length));
  });

  test('output can be read after the end', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sh', ['-c', 'echo out; echo err >&2; exit 4']);
    expect(await owned.exited).toEqual({ code: 4, signal: null });
    await sleep(50);
    expect([await textOf(owned.stdout), await textOf(owned.stderr)]).toEqual(['out\n', 'err\n']);
  });

  test('writing to a process that is gone is an error for the writer alone', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('true');
    await owned.exited;
    const { message } = await refusal(owned.stdin.write('x'));
    expect(message).toBe('The process no longer reads its input.');
    // Nobody waits for this one; it must not bring the test run down.
    void owned.stdin.write('y');
    await owned.stdin.end();
  });

  test('a reader that leaves early lets the process feel it', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sh', ['-c', 'yes; exit 3']);
    for await (const chunk of owned.stdout) {
      expect(String(chunk)).toMatch(/^y/);
      break;
    }
    expect((await owned.exited).code).toBe(3);
  });

  test('streams can be ignored', async () => {
    const { start } = await openTestSandbox(kind);
    const stdio = { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' } as const;
    const owned = await start('sh', ['-c', 'cat; echo out; echo err >&2'], { stdio });
    await owned.stdin.write('nobody reads this');
    await owned.stdin.end();
    expect([await textOf(owned.stdout), await textOf(owned.stderr)]).toEqual(['', 'err\n']);
  });

  test('bytes pass unchanged, whatever they are', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('cat');
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
    await owned.stdin.write(bytes);
    await owned.stdin.end();
    const chunks: Uint8Array[] = [];
    for await (const chunk of owned.stdout) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(bytes);
  });

  test('arguments reach the program as they are: no shell reads them', async () => {
    const { start } = await openTestSandbox(kind);
    const args = ['$(id)', '`id`', '; id', '"', "'", '*', '', '--', '-n', 'two\nlines', '\\', 'ü'];
    const owned = await start('printf', ['[%s]', ...args]);
    expect(await textOf(owned.stdout)).toBe(args.map((each) => `[${each}]`).join(''));
  });
});

test('a program sees only its three streams', async () => {
  const sandbox = await openTestSandbox('namespace');
  const { stdout } = await run(
    sandbox,
    'for n in 3 4 5 6; do [ -e /proc/self/fd/$n ] && readlink /proc/self/fd/$n; done',
  );
  expect(stdout).toBe('');
});

/** What an engine makes of it whose own SDK wants streams of Node's at once, before the process is there. */
function toNodeStreams(starting: Promise<OwnedProcess>) {
  return {
    stdin: new Writable({
      write: (chunk, _encoding, done) => {
        starting.then(({ stdin }) => stdin.write(chunk)).then(() => done(), done);
      },
      final: (done) => {
        starting.then(({ stdin }) => stdin.end()).then(() => done(), done);
      },
    }),
    stdout: Readable.from(
      (async function* () {
        yield* (await starting).stdout;
      })(),
    ),
  };
}

test("it can be turned into Node's streams without a cast", async () => {
  const { start } = await openTestSandbox('namespace');
  const { stdin, stdout } = toNodeStreams(start('tr', ['a-z', 'A-Z']));
  const chunks: Buffer[] = [];
  stdout.on('data', (chunk) => chunks.push(chunk));
  await pipeline(Readable.from(['one ', 'two ', 'three']), stdin);
  await new Promise((resolve) => stdout.once('end', resolve));
  expect(Buffer.concat(chunks).toString()).toBe('ONE TWO THREE');
});
