// C7 on a real disk that is really full: a small file system of the server's own, filled from outside.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, pause } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutputs } from '../../src/core/calls/output.ts';
import { temporaryDirectory } from '../support/yard.ts';

const main = fileURLToPath(new URL('../../bin/toolyard.mjs', import.meta.url));
const mounting = 'mount -t tmpfs -o size=24m,mode=700 tmpfs "$TOOLYARD_HOME"';
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

/** Runs a script in which the home is a file system of 24 MB that nobody else has. */
async function start(script: string): Promise<{ child: ChildProcess; home: string; printed(): string }> {
  const root = await temporaryDirectory();
  const home = join(root, 'home');
  const work = join(root, 'work');
  for (const folder of [home, work]) await mkdir(folder);
  const serve = `exec "${process.execPath}" --conditions=toolyard-source "${main}" serve --rehearse`;
  const env = { PATH: process.env.PATH, HOME: root, TOOLYARD_HOME: home, TOOLYARD_PORT: '0' };
  const whole = `${mounting} && ${script.replace('SERVE', serve)}`;
  const child = spawn('unshare', ['--mount', 'sh', '-c', whole], { cwd: work, env });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'close');
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (printed += bytes));
  return { child, home, printed: () => printed };
}

/** Takes every byte there is left. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1024 * 1024, 4_096, 1]) {
      const bytes = Buffer.alloc(size);
      while ((await file.write(bytes).catch(() => undefined))?.bytesWritten === size);
    }
  } finally {
    await file.close();
  }
}

/** Says words until one message is refused. */
async function sendUntilRefused(client: Client, id: string): Promise<unknown> {
  for (let count = 0; count < 200; count++) {
    const refused = await client.sessions.send(id, `message ${count} ${'x'.repeat(20_000)}`).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (refused) return refused;
  }
  return undefined;
}

describe.skipIf(!canMount)('C7: a disk that is full', () => {
  it('C7: fails requests with a sentence, lets the server live, and all goes on once there is room', async () => {
    const { child, home, printed } = await start('SERVE');
    for (let waited = 0; !printed().includes('listens at') && waited < 20_000; waited += 20) await pause(20);
    // The file system as the server sees it.
    const inside = join(`/proc/${child.pid}/root`, home);
    const url = /http:\/\/\S+/.exec(printed())?.[0] ?? '';
    const token = readFileSync(join(inside, 'token'), 'utf8').trim();
    const client = createClient({ baseUrl: url, token });
    const { id } = await client.sessions.create();
    await fill(join(inside, 'ballast'));
    expect(await sendUntilRefused(client, id)).toMatchObject({
      code: 'storage_failed',
      data: { reason: 'disk_full' },
      message: expect.stringMatching(/cannot grow: the disk is full\. Free some space and try again/),
    });
    await expect(client.sessions.create()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await client.health()).toMatchObject({ ok: true });
    const before = await client.sessions.get(id);
    const { items } = await client.diagnose();
    expect(items.find(({ name }) => name === 'disk')).toMatchObject({
      state: 'fail',
      fix: expect.any(String),
    });

    await rm(join(inside, 'ballast'));
    const seen: string[] = [];
    for await (const { type } of client.sessions.stream(id, 'hello')) seen.push(type);
    expect(seen.at(-1)).toBe('turn_end');
    const { lastSeq } = await client.sessions.get(id);
    const numbers: number[] = [];
    for await (const { seq } of client.sessions.events(id)) {
      numbers.push(seq);
      if (seq === lastSeq) break;
    }
    expect(numbers).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(lastSeq).toBeGreaterThan(before.lastSeq);
    expect(child.exitCode).toBeNull();
  }, 60_000);

  it('C7: refuses a start with a sentence, and leaves nothing behind, however often it is tried', async () => {
    const filling = 'dd if=/dev/zero of="$TOOLYARD_HOME/ballast" bs=64k 2>/dev/null';
    const thrice = '(SERVE); echo "code $?"; (SERVE); echo "code $?"; ls "$TOOLYARD_HOME"';
    const { child, printed } = await start(
      `{ ${filling}; ${thrice.replaceAll('SERVE', `exec "${process.execPath}" --conditions=toolyard-source "${main}" serve --rehearse`)}; }`,
    );
    await once(child, 'close');
    expect(printed()).toMatch(/disk is full\. Free some space/);
    expect(printed().match(/code 1/g)).toHaveLength(2);
    expect(printed()).not.toMatch(/token\.|server\.json\.|broke|Internal error/);
  }, 60_000);
});

it('C7: an output that cannot be kept is shown as far as it fits, and says so', async () => {
  const folder = join(await temporaryDirectory(), 'outputs');
  // A file in the place of the folder: nothing can be written below it.
  await (await open(folder, 'w')).close();
  const warnings: string[] = [];
  const outputs = createOutputs({ folder, logger: { warn: (message) => void warnings.push(message) } });
  const text = 'x'.repeat(5_000);
  const bounds = { maxBytes: 1_024, keepBytes: 10_000 };
  const bounded = await outputs.bound('ses_1', text, bounds);
  expect(bounded).toEqual({
    text: `${'x'.repeat(512)}\n[3976 of 5000 bytes cut; they were not stored, because the server could not write to its disk]\n${'x'.repeat(512)}`,
    truncated: true,
  });
  expect(warnings).toEqual(['could not store an output']);
  expect(await readFile(folder, 'utf8')).toBe('');
});
