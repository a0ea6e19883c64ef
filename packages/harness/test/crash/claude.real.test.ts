// Kill -9 of a server that drives the real CLI: at the moments when a call waits, is decided or runs, and while the
// model speaks. What a person allowed runs once, what had begun is never run again, and no process is left.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
  type Told,
} from './claude-home.ts';
import { readLedger } from './rows.ts';
import type { Ready, ServerProcess } from './server-process.ts';

const append = { tool: 'Bash', input: { command: 'echo ran >> effects.txt', description: 'writes a line' } };

/** Makes the call; makes it again when it is told to; else says what became of it. */
function rulesFor(call: { tool: string; input: object }, userIs = 'go') {
  return [
    { when: { userIs, step: 0 }, reply: [{ text: 'First. ' }, { call }] },
    { when: { userIs, results: { contains: 'exactly the same input' } }, reply: [{ call }] },
    { when: { userIs }, reply: [{ text: 'Heard: {{results}}' }] },
  ];
}

const names = ['a host tool', 'Bash', 'Write'] as const;

/** The calls of one round, how often each has had its effect, and what the model hears when it worked. */
function callsOf(round: string) {
  const command = `echo ran >> ${round}-bash.txt`;
  return {
    'a host tool': {
      call: { tool: 'mcp__crash__record', input: { note: round } },
      effects: async ({ ledger }: ClaudeHome, turnId: string) =>
        (await readLedger(ledger)).filter((effect) => effect.turnId === turnId).length,
      heard: 'noted',
    },
    Bash: {
      call: { tool: 'Bash', input: { command, description: 'writes a line' } },
      effects: async (home: ClaudeHome) => home.effects(`${round}-bash.txt`),
      heard: 'Bash completed',
    },
    Write: {
      call: { tool: 'Write', input: { file_path: `${round}-write.txt`, content: 'ran\n' } },
      effects: async (home: ClaudeHome) => home.effects(`${round}-write.txt`),
      heard: 'created',
    },
  };
}

/** One session makes each of the calls. */
function rulesOf(round: string) {
  return names.flatMap((name) => rulesFor(callsOf(round)[name].call, `${round}: ${name}`));
}

async function killNow(server: ServerProcess): Promise<void> {
  const family = familyOf(server.pid);
  expect(family.length).toBeGreaterThan(0);
  // What a failing test has left is not left to the machine.
  onTestFinished(() => livingOf(family).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')));
  await server.kill('SIGKILL');
  await until(() => livingOf(family).length === 0, 5_000);
}

/** Runs up to the open approval of each call: in new sessions, or in those that there are, whose programs still run. */
async function askAll(ready: Ready, round: string, sessions?: readonly string[]) {
  return Promise.all(
    names.map(async (name, at) => {
      const id = sessions?.[at];
      const message = `${round}: ${name}`;
      const turn = id
        ? { id, turnId: (await ready.client.sessions.send(id, message)).turnId }
        : await begin(ready, message);
      const { effects, heard } = callsOf(round)[name];
      return {
        name,
        turn,
        heard,
        approval: await pendingIn(ready, turn.id),
        effects: (home: ClaudeHome) => effects(home, turn.turnId),
      };
    }),
  );
}

/** What became of the call of one turn. */
async function conclude({ client }: Ready, { id, turnId }: { id: string; turnId: string }) {
  const approvals = (await client.approvals.list({ sessionId: id, limit: 100 })).items;
  const audit = (await auditOf({ client })).filter((row) => row.sessionId === id && row.turnId === turnId);
  return {
    asked: approvals.filter((each) => each.turnId === turnId).length,
    results: audit.filter(({ kind }) => kind === 'result').length,
    undecided: audit.filter(
      ({ kind, toolCallId, seq }) =>
        kind === 'result' &&
        audit.filter((row) => row.toolCallId === toolCallId && row.decision === 'allow' && row.seq < seq)
          .length !== 1,
    ).length,
    status: (await client.sessions.get(id)).status,
  };
}

/** What the model said in the turn that ended last. */
function saidIn({ events }: Told): string {
  const ends = events.flatMap(({ type }, at) => (type === 'turn_end' ? at : []));
  return events
    .slice(ends.at(-2) ?? 0)
    .flatMap((event) => (event.type === 'text_delta' ? event.data.text : []))
    .join('');
}

/** What there is of all of them: evidence that holds, and no turn that is still open. */
async function concludeAll(home: ClaudeHome, { client }: Ready) {
  return { evidence: (await client.audit.verify()).ok, openTurns: home.countOpenTurns() };
}

const wellDone = { asked: 1, results: 1, undecided: 0, status: 'idle' };
const allDone = { evidence: true, openTurns: 0 };

test('P3, P4, P5, P12: killed while a host tool, Bash and Write wait for their person, each runs once if allowed, also when killed again before the run, and never if denied', {
  // Three rounds with three conversations each, over six servers.
  timeout: 120_000,
}, async () => {
  const home = await createClaudeHome(['allowed', 'denied', 'late'].flatMap(rulesOf));
  const first = home.start();
  const asked = await askAll(await first.ready, 'allowed');
  const sessions = asked.map(({ turn }) => turn.id);
  await killNow(first);
  for (const { effects } of asked) expect(await effects(home)).toBe(0);

  // Allowed after the restart: nobody is asked again, and the turn goes on.
  const second = home.start();
  const allowing = await second.ready;
  for (const { approval } of asked)
    await allowing.client.approvals.answer(approval.id, { decision: 'allow' });
  for (const { name, turn, heard, effects } of asked) {
    const told = await readTurn(allowing, turn);
    const facts = [name, told.outcome, saidIn(told).includes(heard), await effects(home)];
    expect(facts).toEqual([name, 'completed', true, 1]);
    expect(await conclude(allowing, turn)).toEqual(wellDone);
  }
  expect(await concludeAll(home, allowing)).toEqual(allDone);

  // Denied after the restart: the model is told.
  const refused = await askAll(allowing, 'denied', sessions);
  await killNow(second);
  let server = home.start({ point: 'approval.answered', occurrence: refused.length + 1 });
  const denying = await server.ready;
  for (const { approval } of refused)
    await denying.client.approvals.answer(approval.id, { decision: 'deny', reason: 'not now' });
  for (const { turn, effects } of refused) {
    const told = await readTurn(denying, turn);
    expect([told.outcome, saidIn(told)]).toEqual([
      'completed',
      expect.stringContaining('did not allow this call: not now'),
    ]);
    expect([await effects(home), await conclude(denying, turn)]).toEqual([0, { ...wellDone, results: 0 }]);
  }
  expect(await concludeAll(home, denying)).toEqual(allDone);

  // Killed between the answer and the run.
  const cutOff = await askAll(denying, 'late', sessions);
  for (const [nth, { name, turn, approval, heard, effects }] of cutOff.entries()) {
    const { client } = await server.ready;
    await client.approvals.answer(approval.id, { decision: 'allow' }).catch(() => {});
    await server.exited;
    expect(await effects(home)).toBe(0);

    const isLast = nth === cutOff.length - 1;
    server = home.start(isLast ? undefined : { point: 'approval.answered', occurrence: 1 });
    const again = await server.ready;
    const told = await readTurn(again, turn);
    const facts = [name, told.outcome, saidIn(told).includes(heard), await effects(home)];
    expect(facts).toEqual([name, 'completed', true, 1]);
    expect(await conclude(again, turn)).toEqual(wellDone);
  }
  expect(await concludeAll(home, await server.ready)).toEqual(allDone);
  // Under whatever turn: once when allowed, once when allowed late.
  expect(await readLedger(home.ledger)).toHaveLength(2);
});

test('P5, P7, P12: killed while a command runs, another waits for its person and the model speaks, nothing runs on or again, one yes is good for one call, and a retry goes on', {
  timeout: 60_000,
}, async () => {
  const nap = newNap();
  const command = `echo ran >> slept.txt; (setsid sleep ${nap} &); sleep ${nap}`;
  const [start, , ...rest] = rulesFor(append, 'ask');
  const home = await createClaudeHome(
    [
      ...rulesFor({ tool: 'Bash', input: { command, description: 'sleeps' } }, 'sleep'),
      // One that makes its call twice when it is told to make it again.
      start,
      {
        when: { userIs: 'ask', results: { contains: 'exactly the same input' } },
        reply: [{ call: append }, { call: append }],
      },
      ...rest,
      ...rulesFor(
        { tool: 'Bash', input: { command: 'echo ran >> never.txt', description: 'a line' } },
        'append',
      ),
      {
        when: { userIs: 'speak' },
        reply: [{ text: 'slow ', repeat: 200 }],
        pace: { chunkChars: 5, delayMs: 20 },
      },
      { when: { userIs: 'and now?' }, reply: [{ text: 'Still here.' }] },
    ],
    { spare: true },
  );
  const first = home.start();
  const ready = await first.ready;
  const asking = await begin(ready, 'ask');
  const sleeping = await begin(ready, 'sleep', 'bypassPermissions');
  const approval = await pendingIn(ready, asking.id);
  await until(() => findSleepers(nap).length === 2);
  const isClaude = ({ command: line }: { command: string }) => /^\S*claude\S* --output-format/.test(line);
  const speaking = await begin(ready, 'speak');
  for await (const { type } of ready.client.sessions.events(speaking.id)) if (type === 'text_delta') break;
  // Those of the three, and the spare one.
  await until(() => familyOf(first.pid).filter(isClaude).length >= 4);
  expect((await ready.client.sessions.get(speaking.id)).status).toBe('running');
  await killNow(first);
  expect(findSleepers(nap)).toEqual([]);
  await until(() => home.rehearsal.active() === 0, 2_000);

  writeFileSync(join(home.home, 'config.yaml'), 'claude: { spare: false }\n');
  const second = home.start({ point: 'tool.started', occurrence: 1, after: 'message.accepted' });
  const again = await second.ready;
  await again.client.approvals.answer(approval.id, { decision: 'allow' });
  const other = await pendingIn(again, asking.id);
  expect([other.tool, home.effects()]).toEqual(['claude:Bash', 1]);
  await again.client.approvals.answer(other.id, { decision: 'deny' });
  const answered = await readTurn(again, asking);
  expect([answered.outcome, home.effects()]).toEqual(['completed', 1]);

  const slept = await readTurn(again, sleeping);
  const result = slept.events.find(({ type }) => type === 'tool_result');
  expect([slept.outcome, slept.code, result?.data]).toEqual([
    'failed',
    'restarted',
    expect.objectContaining({ isError: true, outcome: 'unknown' }),
  ]);
  const awake = await retry(again, sleeping.id);
  expect([awake.outcome, saidIn(awake)]).toEqual(['completed', expect.stringMatching(/outcome unknown/i)]);
  expect([home.effects('slept.txt'), findSleepers(nap)]).toEqual([1, []]);

  const spoken = await readTurn(again, speaking);
  expect([spoken.outcome, spoken.code]).toEqual(['failed', 'restarted']);
  const whole = await retry(again, speaking.id);
  expect([whole.outcome, saidIn(whole).endsWith('slow '.repeat(200))]).toEqual(['completed', true]);
  const next = await again.client.sessions.send(speaking.id, 'and now?');
  const said = await readTurn(again, { id: speaking.id, turnId: next.turnId });
  expect([said.outcome, saidIn(said).endsWith('Still here.')]).toEqual(['completed', true]);
  expect(home.countOpenTurns()).toBe(0);

  // Killed between the record of a start and the run: it is unknown and never run.
  const { turnId } = await again.client.sessions.send(sleeping.id, 'append');
  await second.exited;
  const third = await home.start().ready;
  const cut = await readTurn(third, { id: sleeping.id, turnId });
  expect([cut.outcome, cut.code]).toEqual(['failed', 'restarted']);
  const retried = await retry(third, sleeping.id);
  expect([retried.outcome, saidIn(retried)]).toEqual([
    'completed',
    expect.stringMatching(/outcome unknown/i),
  ]);
  expect([home.effects('never.txt'), home.countOpenTurns()]).toEqual([0, 0]);
});
