// Agents: how many are drafted in a second, how soon one runs, and what a long queue of them costs beside the work itself.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, type Client, type Event, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { openYard, type Yard } from '../packages/harness/src/app.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { interleave, timed } from './interleave.ts';
import { startModel } from './processes.ts';
import { summarize, toMs, toRate, toSpread } from './samples.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const queued = 500;
const concurrency = 8;
const drafts = 200;
const awaits = 100;
const many = {
  maxAgents: 100_000,
  maxChildren: 1_000,
  spawnPerMinute: 10_000,
  budgetUsd: 1_000_000,
  dailyUsd: 1_000_000,
};

export const agents: Benchmark = {
  name: 'agents',
  title: `agents: drafted, running, ${queued} queued at concurrency ${concurrency}, ${awaits} awaits`,
  async run({ rounds, folder }) {
    await using model = await startModel();
    const access = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    const rows = [
      await measureDrafts(join(folder, 'drafts')),
      await measureStarts(join(folder, 'native'), access, 'native', rounds),
      await measureStarts(join(folder, 'claude'), access, 'claude', Math.min(rounds, 10)),
      await measureQueue(join(folder, 'queue'), access),
      await measureAwaits(join(folder, 'awaits')),
    ];
    return { rows, notes: [] };
  },
};

async function open(
  folder: string,
  env: NodeJS.ProcessEnv,
  limits: object,
  isScripted = false,
): Promise<Yard> {
  const [home, user, workspace] = ['home', 'user', 'work'].map((name) => join(folder, name));
  if (!home || !user || !workspace) throw new Error('no folders');
  await Promise.all([user, workspace].map((path) => mkdir(path, { recursive: true })));
  return openYard({
    home,
    workspace,
    logger: quiet,
    env: { PATH: process.env.PATH, HOME: user, ...env },
    overlay: { limits: { ...many, ...limits }, ...(!isScripted && { defaults: { engine: 'native' } }) },
    ...(isScripted && { engine: createScriptedEngine({ reply: () => [{ text: 'Done.' }] }) }),
  });
}

/** Durable, each in a commit of its own, one after the other: as a model drafts them. */
async function measureDrafts(folder: string): Promise<Row> {
  const yard = await open(folder, {}, { concurrency: 1 }, true);
  try {
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create({ role: 'coordinator' });
    const draft = () =>
      client.agents.draft({ role: 'developer', prompt: 'hello', taskSlug: 'bench', sessionId });
    await client.tasks.create({ slug: 'bench' });
    await draft();
    const samples: number[] = [];
    for (let count = 0; count < drafts; count++) samples.push(await timed(draft));
    const found = summarize(samples);
    const perSecond = 1_000 / found.median;
    return {
      work: 'agents drafted, one after the other, each durable',
      ours: `${toRate(perSecond)}, ${toSpread(found)}`,
      numbers: { perSecond, median: found.median, p99: found.p99 },
    };
  } finally {
    await yard.close();
  }
}

/** From the draft to the moment its turn begins, and to the first word of its model. */
async function measureStarts(
  folder: string,
  access: NodeJS.ProcessEnv,
  engine: 'native' | 'claude',
  rounds: number,
): Promise<Row> {
  const yard = await open(folder, access, { concurrency });
  try {
    const client = yard.client();
    const { id: sessionId } = await client.sessions.create({ role: 'coordinator', engine });
    const [running, speaking]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      const agent = await client.agents.draft({ role: 'developer', prompt: 'hello', sessionId });
      running.push((await when(client, agent, 'turn_start')) - startedAt);
      speaking.push((await when(client, agent, 'text_delta')) - startedAt);
      await client.agents.await(agent.id);
      if (engine === 'claude') await pause(1_500);
    }
    const [first, words] = [summarize(running), summarize(speaking)];
    return {
      work: `${engine}: draft → running`,
      ours: `${toSpread(first)}; first word ${toSpread(words)}`,
      numbers: { median: first.median, p99: first.p99, firstWord: words.median, firstWordP99: words.p99 },
    };
  } finally {
    await yard.close();
  }
}

async function when(client: Client, { sessionId }: Agent, type: Event['type']): Promise<number> {
  for await (const event of client.sessions.events(sessionId))
    if (event.type === type) return performance.now();
  throw new Error(`no ${type}`);
}

/** All of them from the first draft to the last result, beside the same turns in sessions without any pool. */
async function measureQueue(folder: string, access: NodeJS.ProcessEnv): Promise<Row> {
  const yard = await open(folder, access, { concurrency });
  try {
    const client = yard.client();
    const pooled = async () => {
      const drafted = await Promise.all(
        Array.from({ length: queued }, () => client.agents.draft({ role: 'developer', prompt: 'hello' })),
      );
      await Promise.all(drafted.map(({ id }) => client.agents.await(id, { timeoutSeconds: 600 })));
    };
    const bare = async () => {
      let left = queued;
      const work = async () => {
        while (left-- > 0) {
          const { id } = await client.sessions.create({ role: 'developer', engine: 'native' });
          for await (const event of client.sessions.stream(id, 'hello')) void event;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
    };
    const plan = { rounds: 2, perRound: 1, warmUp: 0 };
    const found = await interleave(
      { pooled: { run: () => timed(pooled) }, bare: { run: () => timed(bare) } },
      plan,
    );
    const ratio = found.pooled.median / found.bare.median;
    return {
      work: `${queued} queued agents at concurrency ${concurrency}`,
      ours: toMs(found.pooled.median),
      peer: `the same turns in sessions of their own, ${concurrency} at a time ${toMs(found.bare.median)}`,
      ratio,
      numbers: { median: found.pooled.median, peerMedian: found.bare.median },
    };
  } finally {
    await yard.close();
  }
}

/** Many who wait for one: from its end to the last answer. */
async function measureAwaits(folder: string): Promise<Row> {
  const yard = await open(folder, {}, {}, true);
  try {
    const client = yard.client();
    const samples: number[] = [];
    for (let round = 0; round < 10; round++) {
      const { id } = await client.agents.draft({ role: 'developer', prompt: 'hello' });
      await client.agents.await(id);
      samples.push(
        await timed(() => Promise.all(Array.from({ length: awaits }, () => client.agents.await(id)))),
      );
    }
    const found = summarize(samples);
    return {
      work: `${awaits} awaits at once`,
      ours: toSpread(found),
      numbers: { median: found.median, p99: found.p99 },
    };
  } finally {
    await yard.close();
  }
}
