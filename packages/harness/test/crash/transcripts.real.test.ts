// P1, P2: kill -9 in the middle of reading a transcript, at every step of a commit: what is in it comes once, in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Event } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { bundled } from '../support/bundled.ts';
import {
  answers,
  calls,
  createOutsideEngine,
  returns,
  says,
  writeTranscript,
} from '../support/transcripts.ts';
import { openTestYard, temporaryDirectory } from '../support/yard.ts';
import type { ImportOrder } from './import-program.ts';

const turnCount = 800;
const eventCount = turnCount * 9;
const program = await bundled(fileURLToPath(new URL('./import-program.ts', import.meta.url)));

async function run(order: ImportOrder): Promise<string | null> {
  const child = spawn(process.execPath, ['--conditions=toolyard-source', program, JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  return signal;
}

/** Everything but the ids that each reading makes up anew. */
function storyOf(events: readonly Event[]): unknown[] {
  const turns = new Map<string, number>();
  return events.map(({ sessionId: _, data, ...event }) => {
    const turnId = 'turnId' in data ? data.turnId : undefined;
    if (turnId !== undefined && !turns.has(turnId)) turns.set(turnId, turns.size);
    return { ...event, data: turnId === undefined ? data : { ...data, turnId: turns.get(turnId) } };
  });
}

async function readHome(home: string, claudeHome: string) {
  const yard = await openTestYard({ home, engine: createOutsideEngine(claudeHome) });
  const { items } = await yard.client().sessions.list();
  const id = items[0]?.id ?? '';
  const events: Event[] = [];
  // Who opens a session does not wait for ever until all of it is read; what comes later follows.
  for await (const event of yard.client().sessions.events(id, { signal: AbortSignal.timeout(60_000) })) {
    events.push(event);
    if (event.seq >= eventCount) break;
  }
  const { lastSeq } = await yard.client().sessions.get(id);
  await yard.close();
  return { sessions: items.length, lastSeq, story: storyOf(events) };
}

it('P1, P2: a transcript that is read through many deaths is the same as one that is read at once', async () => {
  const claudeHome = await temporaryDirectory();
  const turn = (n: number) => [
    says(`question ${n}`),
    calls(`t${n}`, 'Bash', { command: `echo ${n}` }),
    returns(`t${n}`, 'x'.repeat(8_000)),
    answers(`answer ${n}`),
  ];
  writeTranscript(claudeHome, Array.from({ length: turnCount }, (_, n) => turn(n)).flat());
  const home = join(await temporaryDirectory(), 'home');
  const points: CrashPoint[] = ['commit.durable', 'commit.written', 'commit.begun'];
  let deaths = 0;
  // Opening and indexing take the first few commits, reading the rest.
  for (let isOver = false; !isOver && deaths < 60; deaths += isOver ? 0 : 1) {
    const point = points[deaths % points.length] ?? 'commit.durable';
    isOver = (await run({ home, claudeHome, killAt: { point, occurrence: 4 + (deaths % 4) } })) === null;
  }
  expect(deaths).toBeGreaterThan(4);
  const killed = await readHome(home, claudeHome);
  const whole = await readHome(join(await temporaryDirectory(), 'home'), claudeHome);
  expect(killed).toMatchObject({ lastSeq: eventCount, story: { length: eventCount } });
  expect(killed).toEqual(whole);
}, 120_000);
