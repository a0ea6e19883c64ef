// Kill -9 of a server that drives the real CLI: at the moments when a call waits, is decided or runs, and while the
// model speaks. What a person allowed runs once, what had begun is never run again, and no process is left.
import { describe, expect, onTestFinished, test } from 'vitest';
import { findSleepers, newNap, until } from '../sandbox/support.ts';
import {
  auditOf,
  begin,
  type ClaudeHome,
  createClaudeHome,
  familyOf,
  livingOf,
  pendingIn,
  readTurn,
  retry,
} from './claude-home.ts';
import { readLedger } from './rows.ts';
import type { Ready, ServerProcess } from './server-process.ts';

const record = { tool: 'mcp__crash__record', input: { note: 'once' } };
const append = { tool: 'Bash', input: { command: 'echo ran >> effects.txt', description: 'writes a line' } };

/** Makes the call; makes it again when it is told to; else says what became of it. */
function rulesFor(call: { tool: string; input: object }, userIs = 'go') {
  return [
    { when: { userIs, step: 0 }, reply: [{ text: 'First. ' }, { call }] },
    { when: { userIs, results: { contains: 'exactly the same input' } }, reply: [{ call }] },
    { when: { userIs }, reply: [{ text: 'Heard: {{results}}' }] },
  ];
}

/** The call, how often it has had its effect, and what the model hears when it worked. */
const calls = {
  'a host tool': {
    call: record,
    effects: async ({ ledger }: ClaudeHome) => (await readLedger(ledger)).length,
    heard: 'noted',
  },
  Bash: { call: append, effects: async (home: ClaudeHome) => home.effects(), heard: 'Bash completed' },
  Write: {
    call: { tool: 'Write', input: { file_path: 'written.txt', content: 'ran\n' } },
    effects: async (home: ClaudeHome) => home.effects('written.txt'),
    heard: 'created',
  },
} as const;
const names = ['a host tool', 'Bash', 'Write'] as const;
/** One session makes each of them. */
const rulesForAll = names.flatMap((name) => rulesFor(calls[name].call, name));

async function killNow(server: ServerProcess): Promise<void> {
  const family = familyOf(server.pid);
  expect(family.length).toBeGreaterThan(0);
  // What a failing test has left is not left to the machine.
  onTestFinished(() => livingOf(family).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')));
  await server.kill('SIGKILL');
  await until(() => livingOf(family).length === 0, 5_000);
}

/** Runs up to the open approval. */
async function ask(ready: Ready, message = 'go') {
  const turn = await begin(ready, message);
  const approval = await pendingIn(ready, turn.id);
  return { turn, approval };
}

/** Runs up to the open approval of each call, in a session of its own. */
async function askAll(ready: Ready) {
  return Promise.all(names.map(async (name) => ({ name, ...calls[name], ...(await ask(ready, name)) })));
}

/** What became of the call of one session. */
async function conclude({ client }: Ready, sessionId: string) {
  const approvals = (await client.approvals.list({ sessionId, limit: 100 })).items;
  const audit = (await auditOf({ client })).filter((row) => row.sessionId === sessionId);
  return {
    asked: approvals.length,
    results: audit.filter(({ kind }) => kind === 'result').length,
    undecided: audit.filter(
      ({ kind, toolCallId, seq }) =>
        kind === 'result' &&
        audit.filter((row) => row.toolCallId === toolCallId && row.decision === 'allow' && row.seq < seq)
          .length !== 1,
    ).length,
    status: (await client.sessions.get(sessionId)).status,
  };
}

/** What there is of all of them: evidence that holds, and no turn that is still open. */
async function concludeAll(home: ClaudeHome, { client }: Ready) {
  return { evidence: (await client.audit.verify()).ok, openTurns: home.countOpenTurns() };
}

const wellDone = { asked: 1, results: 1, undecided: 0, status: 'idle' };
const allDone = { evidence: true, openTurns: 0 };

// Each works through three conversations.
describe('killed while a host tool, Bash and Write wait for their person', { timeout: 60_000 }, () => {
  test('P3, P4, P5, P12: allowed after the restart, each runs once, nobody is asked again, and the turn goes on', async () => {
    const home = await createClaudeHome(rulesForAll);
    const first = home.start();
    const asked = await askAll(await first.ready);
    await killNow(first);
    for (const { effects } of asked) expect(await effects(home)).toBe(0);

    const again = await home.start().ready;
    for (const { approval } of asked) await again.client.approvals.answer(approval.id, { decision: 'allow' });
    for (const { name, turn, heard, effects } of asked) {
      const told = await readTurn(again, turn);
      const facts = [name, told.outcome, told.text.includes(heard), await effects(home)];
      expect(facts).toEqual([name, 'completed', true, 1]);
      expect(await conclude(again, turn.id)).toEqual(wellDone);
    }
    expect(await concludeAll(home, again)).toEqual(allDone);
  });

  test('P3, P5: denied after the restart, none ever runs and the model is told', async () => {
    const home = await createClaudeHome(rulesForAll);
    const first = home.start();
    const asked = await askAll(await first.ready);
    await killNow(first);

    const again = await home.start().ready;
    for (const { approval } of asked)
      await again.client.approvals.answer(approval.id, { decision: 'deny', reason: 'not now' });
    for (const { turn, effects } of asked) {
      const told = await readTurn(again, turn);
      expect([told.outcome, told.text]).toEqual([
        'completed',
        expect.stringContaining('did not allow this call: not now'),
      ]);
      expect([await effects(home), await conclude(again, turn.id)]).toEqual([0, { ...wellDone, results: 0 }]);
    }
    expect(await concludeAll(home, again)).toEqual(allDone);
  });

  test('P4, P5: killed once more between the answer and the run, each still runs once', async () => {
    const home = await createClaudeHome(rulesForAll);
    const killAt = { point: 'approval.answered', occurrence: 1 } as const;
    let server = home.start(killAt);
    const asked = await askAll(await server.ready);
    for (const [nth, { name, turn, approval, heard, effects }] of asked.entries()) {
      const { client } = await server.ready;
      await client.approvals.answer(approval.id, { decision: 'allow' }).catch(() => {});
      await server.exited;
      expect(await effects(home)).toBe(0);

      server = home.start(nth < asked.length - 1 ? killAt : undefined);
      const again = await server.ready;
      const told = await readTurn(again, turn);
      const facts = [name, told.outcome, told.text.includes(heard), await effects(home)];
      expect(facts).toEqual([name, 'completed', true, 1]);
      expect(await conclude(again, turn.id)).toEqual(wellDone);
    }
    expect(await concludeAll(home, await server.ready)).toEqual(allDone);
  });
});

test('P5: one yes after a restart is good for one call, though the model makes two', async () => {
  const twice = { when: { userIs: 'go', results: { contains: 'exactly the same input' } } };
  const [start, , ...rest] = rulesFor(append);
  const home = await createClaudeHome([
    start,
    { ...twice, reply: [{ call: append }, { call: append }] },
    ...rest,
  ]);
  const first = home.start();
  const { turn, approval } = await ask(await first.ready);
  await killNow(first);

  const again = await home.start().ready;
  await again.client.approvals.answer(approval.id, { decision: 'allow' });
  const second = await pendingIn(again, turn.id);
  expect([second.tool, home.effects()]).toEqual(['claude:Bash', 1]);
  await again.client.approvals.answer(second.id, { decision: 'deny' });
  const told = await readTurn(again, turn);
  expect([told.outcome, home.effects()]).toEqual(['completed', 1]);
});

test('P5, P7, P12: killed while a command runs, it is unknown, gone and never run again, and a retry goes on', async () => {
  const nap = newNap();
  const command = `echo ran >> effects.txt; (setsid sleep ${nap} &); sleep ${nap}`;
  const home = await createClaudeHome(rulesFor({ tool: 'Bash', input: { command, description: 'sleeps' } }), {
    spare: true,
  });
  const first = home.start();
  const turn = await begin(await first.ready, 'go', 'bypassPermissions');
  await until(() => findSleepers(nap).length === 2);
  const isClaude = ({ command: line }: { command: string }) => /claude\S* --output-format/.test(line);
  await until(() => familyOf(first.pid).filter(isClaude).length >= 2);
  await killNow(first);
  expect(findSleepers(nap)).toEqual([]);

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  const result = told.events.find(({ type }) => type === 'tool_result');
  expect([told.outcome, told.code, result?.data]).toEqual([
    'failed',
    'restarted',
    expect.objectContaining({ isError: true, outcome: 'unknown' }),
  ]);
  const retried = await retry(again, turn.id);
  expect([retried.outcome, retried.text]).toEqual(['completed', expect.stringMatching(/outcome unknown/i)]);
  expect([home.effects(), home.countOpenTurns(), findSleepers(nap)]).toEqual([1, 0, []]);
});

test('P5: killed between the record of a start and the run, it is unknown and never run', async () => {
  const home = await createClaudeHome(rulesFor(append));
  const first = home.start({ point: 'tool.started', occurrence: 1 });
  const turn = await begin(await first.ready, 'go', 'bypassPermissions');
  await first.exited;

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  expect([told.outcome, told.code]).toEqual(['failed', 'restarted']);
  const retried = await retry(again, turn.id);
  expect([retried.outcome, retried.text]).toEqual(['completed', expect.stringMatching(/outcome unknown/i)]);
  expect(home.effects()).toBe(0);
});

test('P7, P12: killed while the model speaks, nothing runs on, and a retry answers', async () => {
  const pace = { chunkChars: 5, delayMs: 20 };
  const home = await createClaudeHome([
    { when: { userIs: 'go' }, reply: [{ text: 'slow ', repeat: 100 }], pace },
    { when: { userIs: 'and now?' }, reply: [{ text: 'Still here.' }] },
  ]);
  const first = home.start();
  const ready = await first.ready;
  const turn = await begin(ready, 'go');
  for await (const { type } of ready.client.sessions.events(turn.id)) if (type === 'text_delta') break;
  await killNow(first);
  await until(() => home.rehearsal.active() === 0, 2_000);

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  expect([told.outcome, told.code]).toEqual(['failed', 'restarted']);
  const retried = await retry(again, turn.id);
  expect([retried.outcome, retried.text.endsWith('slow '.repeat(100))]).toEqual(['completed', true]);
  const { turnId } = await again.client.sessions.send(turn.id, 'and now?');
  const next = await readTurn(again, { id: turn.id, turnId });
  expect([next.outcome, next.text.endsWith('Still here.')]).toEqual(['completed', true]);
});
