// What a call through the toolbox costs with its decision, evidence and events, beside the handler alone and two
// durable commits; and how many decisions a second the policy makes when many grants are kept.
import { join } from 'node:path';
import {
  Config,
  defineTool,
  defineToolkit,
  type Engine,
  type Grant,
  type Role,
  type Session,
  type Store,
} from '@toolyard/sdk';
import { z } from 'zod';
import { openYard } from '../packages/harness/src/app.ts';
import { createCallFacts } from '../packages/harness/src/core/calls/call-facts.ts';
import type { Target } from '../packages/harness/src/core/calls/offered-tools.ts';
import { decide } from '../packages/harness/src/core/calls/policy.ts';
import { createIds } from '../packages/harness/src/core/lib/ids.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { newSession, openHomeStore } from './fill-home.ts';
import { timed } from './interleave.ts';
import { openPlainDatabase } from './plain-commits.ts';
import { type Summary, summarize, toMs, toRate, toSpread } from './samples.ts';

const callsPerTurn = 200;
const grantCount = 10_000;
const decisionsPerRound = 2_000;
const at = '2026-01-01T00:00:00.000Z';
const later = '2099-01-01T00:00:00.000Z';

export const toolbox: Benchmark = {
  name: 'toolbox',
  title: 'a call through the toolbox, and decisions with many grants',
  async run({ rounds, folder }) {
    const calls = await measureCalls(folder, Math.ceil(rounds / 2));
    using plain = openPlainDatabase(folder);
    const commits = await repeat(rounds * 10, () => timed(() => plain.commit(2)));
    const rate = await measureDecisions(folder, rounds);
    return { rows: [toCallRow(calls, commits), toDecisionRow(rate)], notes: [] };
  },
};

async function repeat(times: number, run: () => Promise<number>): Promise<Summary> {
  const samples: number[] = [];
  for (let count = 0; count < times; count++) samples.push(await run());
  return summarize(samples);
}

/** An engine that does nothing but call one tool again and again, and keeps the time. */
async function measureCalls(folder: string, turns: number): Promise<Summary> {
  const samples: number[] = [];
  const engine: Engine = {
    id: 'caller',
    nativeTools: [],
    start: async () => ({
      close: async () => {},
      prompt: async (_, host) => {
        for (let call = 0; call < callsPerTurn; call++) {
          const asked = { id: `call_${call}`, name: 'mcp__bench__nothing', input: {} };
          samples.push(await timed(() => host.tools.call(asked)));
        }
        return { outcome: 'completed' };
      },
    }),
  };
  const nothing = defineTool({
    name: 'nothing',
    title: 'Nothing',
    description: 'Does nothing.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.object({}),
    run: async () => ({}),
  });
  const toolkits = [defineToolkit({ name: 'bench', server: 'bench', tools: [nothing] })];
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const yard = await openYard({
    home: join(folder, 'calls'),
    workspace: folder,
    env: {},
    engine,
    toolkits,
    logger: quiet,
  });
  try {
    const client = yard.client();
    const { id } = await client.sessions.create({ engine: engine.id });
    for (let turn = 0; turn < turns; turn++) for await (const _ of client.sessions.stream(id, 'go'));
    return summarize(samples.slice(callsPerTurn));
  } finally {
    await yard.close();
  }
}

async function measureDecisions(folder: string, rounds: number): Promise<Summary> {
  const store = await openHomeStore(folder);
  try {
    const session = { ...newSession(), lastSeq: 0 };
    await keepGrants(store, session);
    const gatherFacts = createCallFacts({
      reads: store.reads,
      clock: { now: () => Date.parse(at) },
      judgePaths: async () => ({ inWorkspace: false }),
    });
    const scope = { session, role, config: Config.parse({}) };
    const target: Target = {
      name: 'mcp__bench__act',
      effect: 'execute',
      external: false,
      schemaHash: 'h',
      tier: undefined,
      parse: (input) => ({ input }),
      ownKey: () => undefined,
      paths: () => [],
    };
    return await repeat(rounds, () =>
      timed(async () => {
        for (let count = 0; count < decisionsPerRound; count++) {
          const input = { number: (count * 7) % (2 * grantCount) };
          decide(await gatherFacts({ target, input }, scope));
        }
      }),
    );
  } finally {
    await store.close();
  }
}

const role: Role = {
  name: 'assistant',
  description: 'd',
  category: 'conversational',
  instructions: '',
  source: 'shipped',
  file: 'f',
  tools: { allow: [], deny: [], tiers: {} },
};

async function keepGrants(store: Store, session: Session): Promise<void> {
  const newId = createIds({ now: () => Date.now() });
  const owner = { kind: 'person', id: 'owner', via: 'bench' } as const;
  await store.commit(async (tx) => {
    for (let number = 0; number < grantCount; number++) {
      const key = `mcp__bench__act {"number":${number}}`;
      const grant: Grant = {
        id: newId('grt'),
        tool: 'mcp__bench__act',
        key,
        scope: 'session',
        sessionId: session.id,
        owner,
        schemaHash: 'h',
        uses: 0,
        createdAt: at,
        expiresAt: later,
      };
      await tx.putGrant(grant);
    }
  });
}

function toCallRow(calls: Summary, commits: Summary): Row {
  return {
    work: 'a tool call through the toolbox, decided, audited, logged',
    ours: toSpread(calls),
    peer: `two plain durable commits ${toMs(commits.median)}`,
    ratio: calls.median / commits.median,
    numbers: { median: calls.median, p99: calls.p99, twoCommits: commits.median },
  };
}

function toDecisionRow({ median }: Summary): Row {
  const perSecond = decisionsPerRound / (median / 1_000);
  return {
    work: `policy decisions with ${grantCount.toLocaleString('en-US')} grants kept`,
    ours: toRate(perSecond),
    numbers: { perSecond },
  };
}
