// A turn that is killed, retried and killed again: what its calls came to is never forgotten and never repeated.
import { expect, test } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';

/** Sends one message to a server that dies at the point. */
async function sendAndKill(yard: CrashHome, text: string, point: CrashPoint): Promise<string> {
  const server = yard.spawn({ killAt: { point, occurrence: 1 } });
  const { client } = await server.ready;
  const { id } = await client.sessions.create({});
  await client.sessions.send(id, text);
  await server.exited;
  await yard.lookAtKill();
  return id;
}

/** Retries on a server that dies at its so-many-th commit. */
async function retryAndKill(yard: CrashHome, sessionId: string, occurrence: number): Promise<void> {
  const server = yard.spawn({ killAt: { point: 'commit.durable', occurrence } });
  const { client } = await server.ready;
  await client.sessions.retry(sessionId).catch(() => {});
  await server.exited;
  await yard.lookAtKill();
}

test.each([2, 3, 4, 5])(
  'P12: a turn killed again at commit %i of its retry goes on with what its calls came to',
  async (occurrence) => {
    const yard = await createCrashHome({ seed: 1 });
    const sessionId = await sendAndKill(yard, 'steps one', 'tool.recorded');
    await retryAndKill(yard, sessionId, occurrence);

    const last = yard.spawn();
    const ready = await last.ready;
    await yard.settle();
    await yard.retryAll(ready);
    const history = await yard.finish(last);
    const state = history.turns.at(-1)?.state;
    expect({ violations: findViolations(history), state }).toEqual({ violations: [], state: 'completed' });
  },
);
