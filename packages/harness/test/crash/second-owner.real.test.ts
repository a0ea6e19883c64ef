// Two servers for one home: the second waits its turn, and an owner that slept through a takeover writes nothing more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Event } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createHome } from '../cli/toolyard-process.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';
import { readLog } from './reader.ts';
import { databaseOf } from './rows.ts';
import { type Ready, type ServerProcess, spawnServer } from './server-process.ts';

/** An owner counts as gone after so long without a beat: store/lease.real.test.ts. */
const staleAfterMs = 15_000;

/** Stops an owner where it holds no lock of SQLite's, with which it would keep everybody out until it is ended. */
function stopInItsTracks(home: string, stop: () => void): void {
  const outside = new DatabaseSync(databaseOf(home), { timeout: 5_000 });
  outside.exec('BEGIN IMMEDIATE');
  stop();
  outside.exec('ROLLBACK');
  outside.close();
}

/** The owner that was stopped keeps the next one out; after a long sleep it no longer does. */
async function takeOver(
  home: string,
  spawn: () => ServerProcess,
): Promise<{ server: ServerProcess; ready: Ready }> {
  const early = spawn();
  await expect(early.ready).rejects.toMatchObject({ code: 'home_in_use' });
  await early.exited;
  const outside = new DatabaseSync(databaseOf(home), { timeout: 5_000 });
  outside.exec(`UPDATE owner SET beat_at = beat_at - ${staleAfterMs}`);
  outside.close();
  const server = spawn();
  return { server, ready: await server.ready };
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
  for await (const { type } of ready.client.sessions.events(id)) if (type === 'text_delta') break;
  stopInItsTracks(yard.home, () => server.send('SIGSTOP'));
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
    const second = await takeOver(yard.home, () => yard.spawn());
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
    stopInItsTracks(cli.home, () => first.child.kill('SIGSTOP'));
    const started = new Set<ServerProcess>();
    onTestFinished(async () => {
      for (const server of started) await server.kill('SIGKILL');
    });
    const { server } = await takeOver(cli.home, () => {
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
