// Kill -9 of the server at every step of draft, run, result and await. What was drafted is there and comes to an end, what
// was reported is kept, an await that was under way gets its answer, nothing runs twice and no counter begins anew. One
// moment with the real CLI by default, three with TOOLYARD_SOAK=full.
import { DatabaseSync } from 'node:sqlite';
import type { Agent } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { until } from '../sandbox/support.ts';
import { isFullSoak } from '../support/soak.ts';
import { agentRules } from './agent-plan.ts';
import { createClaudeHome, readTurn, retry, type Told } from './claude-home.ts';
import { lookAtKilled, readLedger } from './rows.ts';
import type { Ready } from './server-process.ts';

/** Each with the so-many-th time that it is reached, and what the kill comes into; the last may name where to count from. */
const kills: [CrashPoint, number, string, CrashPoint?][] = [
  ['message.accepted', 1, 'the plan is only accepted'],
  ['turn.started', 1, 'the coordinator begins'],
  ['tool.started', 1, 'the draft is called'],
  ['commit.written', 1, 'the first commit after that of the plan is written', 'message.accepted'],
  ['agent.drafted', 1, 'the agent is stored, and nobody has heard of it'],
  ['tool.recorded', 1, 'the draft has answered'],
  ['agent.begun', 2, 'the agent has its slot'],
  ['turn.started', 2, 'the agent begins'],
  ['tool.started', 3, 'both have called a tool'],
  ['tool.ran', 2, 'the tool of the agent has run, and nobody has written that down'],
  ['agent.reported', 1, 'the report is stored'],
  ['tool.recorded', 3, 'the report has answered'],
  ['turn.ended', 1, 'the agent has ended'],
  ['commit.durable', 20, 'something of the middle is stored'],
];

interface Row {
  id: string;
  report: string | null;
}

/** What the kill has left of agents and of waits. */
function readAgents(path: string): { agents: Row[]; isAwaiting: boolean } {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const agents = database.prepare(
      "SELECT id, said ->> 'report' AS report FROM dispatches WHERE drafted = 1",
    );
    const waits = database.prepare(
      "SELECT 1 FROM tool_calls WHERE tool LIKE '%await_agent' AND state = 'started'",
    );
    // The columns are named by the statement.
    return { agents: agents.all() as unknown as Row[], isAwaiting: waits.all().length > 0 };
  } finally {
    database.close();
  }
}

async function listAgents({ client }: Ready): Promise<Agent[]> {
  return (await client.agents.list({ all: true, limit: 500 })).items;
}

async function begin({ client }: Ready, engine: 'native' | 'claude') {
  await client.tasks.create({ slug: 'mine', description: 'To be done' });
  const { id } = await client.sessions.create({
    engine,
    mode: 'bypassPermissions',
    role: 'coordinator',
    taskSlug: 'mine',
  });
  // The kill may take the answer with it.
  await client.sessions.send(id, 'plan').catch(() => {});
  return id;
}

/** By the logs of all sessions. */
async function spentBy({ client }: Ready): Promise<number> {
  let spent = 0;
  for (const { id, lastSeq } of (await client.sessions.list({ limit: 100 })).items)
    for await (const event of client.sessions.events(id, { signal: AbortSignal.timeout(5_000) })) {
      if (event.type === 'usage') spent += event.data.costUsd ?? event.data.estimatedUsd ?? 0;
      if (event.seq >= lastSeq) break;
    }
  return spent;
}

/** The turn that the session's plan has come to, over as many starts as it takes. */
async function conclude(ready: Ready, id: string): Promise<Told> {
  const turnId = await firstTurn(ready, id);
  const told = await readTurn(ready, { id, turnId });
  if (told.code !== 'restarted') return told;
  return retry(ready, id);
}

async function firstTurn({ client }: Ready, id: string): Promise<string> {
  for await (const event of client.sessions.events(id, { signal: AbortSignal.timeout(5_000) }))
    if (event.type === 'user_message') return event.data.turnId;
  throw new Error('the message is gone');
}

/** With the real CLI it takes longer, and the points of one program are those of the other. */
const momentsOfClaude = isFullSoak
  ? ['agent.drafted 1', 'agent.reported 1', 'turn.ended 1']
  : ['agent.reported 1'];
const killsOfClaude = kills.filter(([point, occurrence]) =>
  momentsOfClaude.includes(`${point} ${occurrence}`),
);

describe.concurrent.each([
  { engine: 'native', rows: kills },
  { engine: 'claude', rows: killsOfClaude },
] as const)('P5, P6, P8, P9, P12: $engine, killed when', ({ engine, rows }) => {
  test.for(rows)(
    '%s %i (%s), the work is whole',
    { timeout: 90_000 },
    async ([point, occurrence, , after], { onTestFinished }) => {
      const home = await createClaudeHome(agentRules, { onTestFinished });
      const first = home.start({ point, occurrence, ...(after && { after }) });
      const id = await begin(await first.ready, engine);
      expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
      const killed = await lookAtKilled(home.home, readAgents);
      if (point === 'agent.reported')
        expect(killed).toMatchObject({ isAwaiting: true, agents: [{ report: expect.any(String) }] });

      const again = await home.start().ready;
      await until(async () => (await again.client.agents.list()).items.length === 0, 20_000);
      const told = await conclude(again, id);
      const agents = await listAgents(again);
      // Nothing drafted is lost, whatever was reported before the kill is there, and all else has a reason.
      for (const { id: agentId, report } of killed.agents) {
        const agent = agents.find((each) => each.id === agentId);
        expect(agent).toMatchObject({
          status: expect.stringMatching(/done|failed/),
          endedAt: expect.any(String),
          result: report ? { summary: 'It is built.', reported: true } : expect.anything(),
        });
        expect(agent?.status === 'done' || agent?.error?.code === 'restarted').toBe(true);
      }
      expect(told).toMatchObject({ outcome: 'completed', text: expect.stringMatching(/Heard: .*agt_/) });
      if (killed.agents.some(({ report }) => report)) expect(told.text).toContain('It is built.');
      if (killed.isAwaiting) expect(told.events.filter(({ type }) => type === 'turn_end')).toHaveLength(1);
      // One was enough, it has left one mark, and its run still counts it.
      expect(agents).toHaveLength(1);
      expect((await readLedger(home.ledger)).length).toBeLessThanOrEqual(1);
      const { used } = await again.client.runs.get(agents[0]?.runId ?? '');
      expect(used).toMatchObject({ agents: 1, live: 0 });
      // What was spent before the kill is spent.
      expect(used.costUsd).toBeCloseTo(await spentBy(again), 8);
      expect(home.countOpenTurns()).toBe(0);
    },
  );
});
