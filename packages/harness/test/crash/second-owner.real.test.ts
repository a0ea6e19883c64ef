// Two servers for one home: the second waits its turn, and an owner that slept through a takeover writes nothing more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Event, pause } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createHome } from '../cli/toolyard-process.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';
import { readLog } from './reader.ts';
import { databaseOf, readRows } from './rows.ts';
import { type Ready, type ServerProcess, spawnServer } from './server-process.ts';

/** An owner counts as gone after 15 s without a beat; its last may be almost 5 s old when it is stopped. */
const longestTakeoverMs = 25_000;

/** Starts servers until one is let in. */
async function takeOver(spawn: () => ServerProcess): Promise<{ server: ServerProcess; ready: Ready }> {
  const deadline = performance.now() + longestTakeoverMs;
  for (;;) {
    const server = spawn();
    const ready = await server.ready.catch((refused: unknown) => {
      expect(refused).toMatchObject({ code: 'home_in_use' });
    });
    if (ready) return { server, ready };
    await server.exited;
    if (performance.now() > deadline) throw new Error('nobody was let in');
    await pause(1_000);
  }
}

/** A request as the first server's clients send it, with its status. */
async function post({ url, token }: Ready, path: string, body: unknown) {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { error }: { error?: { code: string } } = await response.json();
  return { status: response.status, code: error?.code };
}

async function texts(ready: Ready, id: string): Promise<string[]> {
  const { lastSeq } = await ready.client.sessions.get(id);
  const log = await readLog(ready, id, lastSeq, AbortSignal.timeout(10_000));
  return log.map(({ data }) => toLine(JSON.parse(data)));
}

function toLine({ type, data }: Event): string {
  if (type === 'user_message') return `${type} ${data.content}`;
  if (type === 'turn_end') return `${type} ${data.outcome} ${data.error?.code ?? ''}`.trim();
  return type;
}

/** A server with a turn under way, stopped in its tracks. */
async function pauseFirst(yard: CrashHome) {
  const server = yard.spawn();
  const ready = await server.ready;
  const { id } = await ready.client.sessions.create({});
  await ready.client.sessions.send(id, 'wait for me');
  while (readRows(databaseOf(yard.home)).turns[0]?.state !== 'running') await pause(10);
  // Stopped inside a transaction it would hold SQLite's lock, and keep everybody out until it is ended.
  await pause(500);
  server.send('SIGSTOP');
  return { server, ready, id };
}

describe.concurrent('two servers for one home', () => {
  test('P10: the second is refused while the first lives, and the first goes on', async ({
    onTestFinished,
  }) => {
    const yard = await createCrashHome({ seed: 1, onTestFinished });
    const first = yard.spawn();
    const ready = await first.ready;
    const second = yard.spawn();
    await expect(second.ready).rejects.toMatchObject({ code: 'home_in_use' });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    const { id } = await ready.client.sessions.create({});
    await ready.client.sessions.send(id, 'call me');
    await yard.settle();
    expect(findViolations(await yard.finish(first))).toEqual([]);
  });

  test('P10: an owner that slept through a takeover can write nothing more', { timeout: 60_000 }, async ({
    onTestFinished,
  }) => {
    const yard = await createCrashHome({ seed: 1, onTestFinished });
    const first = await pauseFirst(yard);
    const second = await takeOver(() => yard.spawn());
    const taken = await texts(second.ready, first.id);

    first.server.send('SIGCONT');
    const messages = `/api/sessions/${first.id}/messages`;
    const refused = { status: 503, code: 'owner_lost' };
    expect(await post(first.ready, messages, { content: 'talk to the wrong one' })).toEqual(refused);
    expect(await post(first.ready, '/api/sessions', {})).toEqual(refused);
    expect(await post(first.ready, `/api/sessions/${first.id}/retry`, {})).toEqual(refused);
    await first.server.kill('SIGTERM');
    expect(first.server.stderr()).toContain('fatal owner_lost');

    expect(taken).toEqual([
      'user_message wait for me',
      'session_status',
      'turn_start',
      'text_delta',
      'error',
      'turn_end failed restarted',
      'session_status',
    ]);
    expect(await texts(second.ready, first.id)).toEqual(taken);
    const { pid } = JSON.parse(await readFile(join(yard.home, 'server.json'), 'utf8'));
    expect(pid).toBe(second.server.pid);
    expect(findViolations(await yard.finish(second.server))).toEqual([]);
  });

  test('P10: the real server ends itself when it wakes after a takeover', { timeout: 60_000 }, async ({
    onTestFinished,
  }) => {
    const cli = await createHome();
    onTestFinished(cli.end);
    const first = cli.start(['serve', '--rehearse']);
    await first.until(/http:\/\/127\.0\.0\.1:\d+/);
    first.child.kill('SIGSTOP');
    const started = new Set<ServerProcess>();
    onTestFinished(async () => {
      for (const server of started) await server.kill('SIGKILL');
    });
    const { server } = await takeOver(() => {
      const next = spawnServer({ home: cli.home, ledger: join(cli.work, 'ledger') });
      started.add(next);
      return next;
    });

    first.child.kill('SIGCONT');
    const { code, stderr } = await first.finished;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('took over this home') });
    expect(await cli.server()).toMatchObject({ pid: server.pid });
  });
});
