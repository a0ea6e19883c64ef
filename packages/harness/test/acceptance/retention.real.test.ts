// Retention in a whole yard: an old session goes with everything of its own, what waits for a person stays, the evidence
// says who did it, and a kill in the middle does no harm.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pause, type Store } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createHome } from '../cli/toolyard-process.ts';
import { sessionId, toSession } from '../store/rows.ts';
import { converse, openTestYard, readUntil, temporaryDirectory } from '../support/yard.ts';

const old = '2020-01-01T00:00:00.000Z';

/** Calls a tool that a person is asked about, or says it back. */
const engine = createScriptedEngine({
  reply: ({ text, step }) =>
    text === 'ask' && step === 0
      ? [{ calls: [{ tool: 'mcp__toolyard__ping', input: {} }] }]
      : [{ text: `You said: ${text}` }],
});

function age(home: string, ids: readonly string[]): void {
  const database = new DatabaseSync(join(home, 'toolyard.db'));
  for (const id of ids) database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(old, id);
  database.close();
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 15_000; waited += 50) {
    if (await isSo()) return;
    await pause(50);
  }
  throw new Error('it never came to that');
}

it('deletes an old session with all that is its own, and nothing that waits for a person', async () => {
  const home = await temporaryDirectory();
  const before = await openTestYard({ home, engine });
  const [gone, kept, waiting] = [
    await before.client().sessions.create({}),
    await before.client().sessions.create({}),
    await before.client().sessions.create({}),
  ];
  await converse(before, gone.id, 'something to forget');
  await converse(before, kept.id, 'something to keep');
  await before.client().sessions.send(waiting.id, 'ask');
  await readUntil(before, waiting.id, ({ type }) => type === 'approval_required');
  await before.close();
  age(home, [gone.id, waiting.id]);
  for (const folder of [`outputs/${gone.id}`, 'traces']) await mkdir(join(home, folder), { recursive: true });
  await writeFile(join(home, 'outputs', gone.id, 'out_0'), 'x');
  await writeFile(join(home, 'traces', `${gone.id}.jsonl`), '{}\n');

  const yard = await openTestYard({ home, engine });
  const client = yard.client();
  await until(async () => (await client.sessions.list()).items.every(({ id }) => id !== gone.id));
  await expect(client.sessions.get(gone.id)).rejects.toMatchObject({ code: 'session_not_found' });
  expect((await client.sessions.list()).items.map(({ id }) => id).sort()).toEqual(
    [kept.id, waiting.id].sort(),
  );
  for (const folder of ['traces', 'outputs']) {
    await until(async () => (await readdir(join(home, folder))).length === 0);
  }
  const rows = (await client.audit.list({ limit: 1_000 })).items;
  expect(rows.filter(({ change }) => change === 'session_deleted')).toMatchObject([
    { sessionId: gone.id, actor: { kind: 'system', via: 'retention' } },
  ]);
  expect(await client.audit.verify()).toMatchObject({ ok: true });
  const { items } = await client.approvals.list({ state: 'pending' });
  expect(items.map((approval) => approval.sessionId)).toEqual([waiting.id]);
  await until(async () => (await readdir(home)).includes('retention.json'));
  const findings = await client.diagnose();
  expect(findings.items.find(({ name }) => name === 'retention')).toEqual({
    name: 'retention',
    state: 'ok',
    message: expect.stringMatching(/^90 days or 4 GB; at \S+ it removed 1 session$/),
  });
}, 30_000);

it('leaves what was touched after it was found, and what waits by then', async () => {
  const home = await temporaryDirectory();
  const touched = new Set<string>();
  const ready = Promise.withResolvers<void>();
  /** Finds every session, as it was before it was touched. */
  const late = (store: Store): Store => ({
    ...store,
    reads: {
      ...store.reads,
      async untouchedSessions({ after }) {
        await ready.promise;
        const found = after ? [] : await store.reads.sessions({ limit: 100 });
        return found.map(({ id, updatedAt }) => ({ id, updatedAt: touched.has(id) ? old : updatedAt }));
      },
    },
  });
  const yard = await openTestYard({ home, engine, wrapStore: late });
  const client = yard.client();
  const [gone, kept, waiting] = [
    await client.sessions.create({}),
    await client.sessions.create({}),
    await client.sessions.create({}),
  ];
  touched.add(kept.id);
  await client.sessions.send(waiting.id, 'ask');
  await readUntil(yard, waiting.id, ({ type }) => type === 'approval_required');
  ready.resolve();
  await until(async () => (await client.sessions.list()).items.every(({ id }) => id !== gone.id));
  await until(async () => (await readdir(home)).includes('retention.json'));
  expect((await client.sessions.list()).items.map(({ id }) => id)).toEqual([waiting.id, kept.id]);
}, 30_000);

it('survives kill -9 at any moment of its work', async () => {
  const home = await createHome({ TOOLYARD_LOG: 'info' });
  onTestFinished(() => home.end());
  await mkdir(home.home, { mode: 0o700 });
  const store = await openStore({
    path: join(home.home, 'toolyard.db'),
    clock: { now: () => Date.now() },
    owner: { pid: process.pid, host: 'seed' },
  });
  const draft = { at: old, type: 'text_delta', data: { text: 'x'.repeat(4_000) } } as const;
  for (const number of [1, 2, 3]) {
    await store.commit((tx) => tx.insertSession({ ...toSession(number), updatedAt: old }));
    for (let batch = 0; batch < 10; batch++) {
      const drafts = Array.from({ length: 200 }, () => ({ ...draft, sessionId: sessionId(number) }));
      await store.commit((tx) => tx.append(drafts));
    }
  }
  await store.commit((tx) => tx.insertSession({ ...toSession(4), updatedAt: new Date().toISOString() }));
  await store.close();
  const killed = home.start(['serve']);
  await killed.until(/listens at/);
  // It begins a second after the start, and takes about as long.
  await pause(1_010);
  killed.child.kill('SIGKILL');
  await killed.finished;
  const running = home.start(['serve']);
  await running.until(/listens at/);
  const client = await home.client();
  await until(async () => (await client.sessions.list()).items.length === 1);
  expect((await client.sessions.list()).items.map(({ id }) => id)).toEqual([sessionId(4)]);
  await until(async () =>
    (await client.diagnose()).items.some(({ message }) => /it removed|nothing was too old/.test(message)),
  );
  const { ok, items } = await client.diagnose();
  expect([ok, items.find(({ name }) => name === 'database')?.message]).toEqual([
    true,
    expect.stringMatching(/^sound, schema \d+, 1 session, /),
  ]);
}, 60_000);
