// Kills the server between every two steps of ask, answer, run and record, while two people answer at once; a ledger
// outside the process counts what really happened. Each point once by default, with TOOLYARD_SOAK=full three times.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditRow, pause } from '@toolyard/sdk';
import { describe, expect, type onTestFinished, test } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { isFullSoak } from '../support/soak.ts';
import type { Effect } from './history.ts';
import { countOpenTurns, databaseOf, readLedger } from './rows.ts';
import { type Ready, type ServerProcess, spawnServer } from './server-process.ts';
import type { ServerOrder } from './server-program.ts';

const points: CrashPoint[] = [
  'commit.begun',
  'commit.written',
  'commit.durable',
  'tool.asked',
  'approval.answered',
  'tool.started',
  'tool.ran',
  'tool.recorded',
];
const sessionCount = 6;

/** What a person was told: the approval's id and how it was decided. */
type Told = Map<string, 'allowed' | 'denied'>;

async function createAskingHome(onFinished: typeof onTestFinished) {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-asking-'));
  const order: ServerOrder = { home: join(folder, 'home'), ledger: join(folder, 'ledger'), asks: true };
  const processes: ServerProcess[] = [];
  onFinished(async () => {
    for (const server of processes) await server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = (killAt?: ServerOrder['killAt']) => {
    const server = spawnServer({ ...order, ...(killAt && { killAt }) });
    processes.push(server);
    return server;
  };
  return { order, start };
}

/** Answers whatever is asked, against another who does the same, until the server is gone or `isDone`. */
async function answerAll({ client }: Ready, told: Told, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    try {
      const { items } = await client.approvals.list({ state: 'pending' });
      // One of each session at a time: a call then runs while its twin still waits.
      const next = [...new Map(items.map((item) => [item.sessionId, item])).values()];
      await Promise.all(
        next.flatMap(({ id }) =>
          (['allow', 'deny'] as const).map(async (decision) => {
            const answer = await client.approvals.answer(id, { decision }).catch(() => undefined);
            if (answer?.state === 'allowed' || answer?.state === 'denied') told.set(id, answer.state);
          }),
        ),
      );
      await pause(10);
    } catch {
      return;
    }
  }
}

/** Sends one message to each session; a killed server takes some of them with it. */
async function sendAll({ client }: Ready): Promise<void> {
  await Promise.allSettled(
    Array.from({ length: sessionCount }, async (_, at) => {
      const { id } = await client.sessions.create();
      await client.sessions.send(id, `${at % 2 === 0 ? 'call' : 'pair'} ${at}`);
      await client.sessions.send(id, `call again ${at}`);
    }),
  );
}

async function readAudit({ client }: Ready): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (;;) {
    const { items } = await client.audit.list({ after: rows.length, limit: 1_000 });
    rows.push(...items);
    if (items.length < 1_000) return rows;
  }
}

const keyOf = ({ turnId, callId }: { turnId?: string | undefined; callId?: string | undefined }) =>
  `${turnId} ${callId}`;

/** Effects that happened twice, without a prior decision, or against a person's no. */
function findBreaches(
  ledger: readonly Effect[],
  audit: readonly AuditRow[],
  denied: ReadonlySet<string>,
): string[] {
  const keys = ledger.map(keyOf);
  const decisions = audit.filter(({ kind }) => kind === 'decision');
  const allowsOf = (key: string) =>
    decisions.filter(
      (row) => row.decision === 'allow' && keyOf({ turnId: row.turnId, callId: row.toolCallId }) === key,
    );
  return [
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `ran twice: ${key}`),
    ...keys
      .filter((key) => allowsOf(key).length !== 1)
      .map((key) => `${allowsOf(key).length} decisions: ${key}`),
    ...keys.filter((key) => denied.has(key)).map((key) => `ran against a no: ${key}`),
  ];
}

/** Each point is reached for the first time at one moment, and again among others: the short form takes them by turns. */
const occurrences = [1, 4, 9];
const kills = points.map((point, index) => ({
  point,
  times: isFullSoak ? occurrences : occurrences.slice(index % 3, (index % 3) + 1),
}));

describe.concurrent.each(kills)('killed at $point', ({ point, times }) => {
  test.for(times)(
    'P3, P4, P5, P14: each call has one decision and at most one effect (occurrence %i)',
    { timeout: 90_000 },
    async (occurrence, { onTestFinished }) => {
      const { order, start } = await createAskingHome(onTestFinished);
      const told: Told = new Map();
      const first = start({ point, occurrence });
      let gone = false;
      void first.exited.then(() => {
        gone = true;
      });
      const ready = await first.ready.catch(() => undefined);
      if (ready) {
        const answering = answerAll(ready, told, () => gone);
        await sendAll(ready);
        await Promise.race([first.exited, pause(8_000)]);
        expect(gone).toBe(true);
        await answering;
      }

      const second = start();
      const again = await second.ready;
      const deadline = performance.now() + 15_000;
      const isDone = () => countOpenTurns(databaseOf(order.home)) === 0 || performance.now() > deadline;
      await answerAll(again, told, isDone);
      expect(countOpenTurns(databaseOf(order.home))).toBe(0);

      const audit = await readAudit(again);
      const answered = (await again.client.approvals.list({ limit: 500 })).items;
      const changed = answered.filter(({ id, state }) => told.has(id) && told.get(id) !== state);
      const denied = new Set(
        answered
          .filter(({ state }) => state !== 'allowed')
          .map(({ turnId, toolCallId }) => keyOf({ turnId, callId: toolCallId })),
      );
      const breaches = findBreaches(await readLedger(order.ledger), audit, denied);
      expect({ breaches, changed, verdict: await again.client.audit.verify() }).toEqual({
        breaches: [],
        changed: [],
        verdict: { ok: true, rows: audit.length },
      });
    },
  );
});

test('the check itself finds an effect that happened twice, undecided or denied', () => {
  const effect = { sessionId: 's', turnId: 't', callId: 'c' };
  const decided = { kind: 'decision', decision: 'allow', turnId: 't', toolCallId: 'c' } as AuditRow; // the fields that are looked at
  expect(findBreaches([effect], [decided], new Set())).toEqual([]);
  expect(findBreaches([effect, effect], [decided], new Set())).toEqual(['ran twice: t c']);
  expect(findBreaches([effect], [], new Set())).toEqual(['0 decisions: t c']);
  expect(findBreaches([effect], [decided], new Set(['t c']))).toEqual(['ran against a no: t c']);
});
