// The Claude engine with the real CLI, beside the bare SDK on the same scripted model: first events, one tool turn, and
// what a tool server weighs.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, pause } from '@toolyard/sdk';
import { openYard } from '../packages/harness/src/app.ts';
import { createToolServers } from '../packages/harness/src/engines/claude/gate/tool-server.ts';
import { type BareClaudeOptions, coldFirstEvent, openBareClaude } from './bare-claude.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { interleave } from './interleave.ts';
import { startModel } from './processes.ts';
import { type Summary, toMs, toSpread } from './samples.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const hello = 'hello';
const ping = 'ping the server';
/** Long enough for the next spare to be ready. */
const betweenSessionsMs = 2_500;
const createdBeforeMs = 1_000;

export const claude: Benchmark = {
  name: 'claude',
  title: 'claude: hot, prewarmed, one tool turn',
  async run({ rounds, folder }) {
    await using model = await startModel();
    const [home, user, work] = ['home', 'user', 'work'].map((name) => join(folder, name));
    if (!home || !user || !work) throw new Error('no folders');
    await Promise.all([user, work].map((path) => mkdir(path, { recursive: true })));
    const env = { PATH: process.env.PATH ?? '', HOME: user };
    const access = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    const yard = await openYard({ home, workspace: work, logger: quiet, env: { ...env, ...access } });
    try {
      const client = yard.client();
      const bare = await toPeer(client, { modelUrl: model.url, home: user, cwd: work });
      const first = await measureFirst(client, bare, rounds);
      const turns = await measureTurns(client, bare, rounds);
      return { rows: [...toFirstRows(first), toTurnRow(turns), await weighServers()], notes: [] };
    } finally {
      await yard.close();
    }
  },
};

async function toPeer(
  client: Client,
  rest: Pick<BareClaudeOptions, 'modelUrl' | 'home' | 'cwd'>,
): Promise<BareClaudeOptions> {
  const { id, model } = await client.sessions.create({ engine: 'claude' });
  const { instructions, nativeTools } = await client.sessions.context(id);
  const builtIns = nativeTools.map((name) => name.replace(/^claude:/, ''));
  const listed = builtIns.filter((name) => name !== 'ToolSearch');
  return { ...rest, instructions, builtIns: listed, model: model.replace(/^anthropic\//, '') };
}

async function measureFirst(client: Client, bare: BareClaudeOptions, rounds: number) {
  const hot = await client.sessions.create({ engine: 'claude' });
  await firstEvent(client, hot.id);
  const opened = async (waitMs: number) => {
    const { id } = await client.sessions.create({ engine: 'claude' });
    await pause(waitMs);
    return firstEvent(client, id);
  };
  /** No arm is measured while a spare for the next session is being started. */
  const settled = (measure: () => Promise<number>) => async () => {
    await pause(betweenSessionsMs);
    return measure();
  };
  return interleave(
    {
      cold: { run: settled(() => coldFirstEvent(bare, hello)) },
      followUp: { run: settled(() => firstEvent(client, hot.id)) },
      createdBefore: { run: settled(() => opened(createdBeforeMs)) },
      createdNow: { run: settled(() => opened(0)) },
    },
    { rounds, perRound: 1, warmUp: 1 },
  );
}

/** Milliseconds from sending to the first word of the answer. */
async function firstEvent(client: Client, id: string): Promise<number> {
  const startedAt = performance.now();
  let first: number | undefined;
  for await (const event of client.sessions.stream(id, hello)) {
    if (event.type === 'text_delta') first ??= performance.now() - startedAt;
    if (event.type === 'turn_end' && event.data.outcome !== 'completed')
      throw new Error(`the turn went wrong: ${JSON.stringify(event.data)}`);
  }
  return first ?? Number.NaN;
}

/** In default mode: the first call asks, and its answer is a grant for the session. */
async function measureTurns(client: Client, options: BareClaudeOptions, rounds: number) {
  const { id } = await client.sessions.create({ engine: 'claude', mode: 'default' });
  const bare = openBareClaude(options);
  try {
    return await interleave(
      { ours: { run: () => toolTurn(client, id) }, bare: { run: () => bare.turn(ping) } },
      { rounds, perRound: 5, warmUp: 5 },
    );
  } finally {
    bare.close();
  }
}

async function toolTurn(client: Client, id: string): Promise<number> {
  const startedAt = performance.now();
  for await (const event of client.sessions.stream(id, ping)) {
    if (event.type === 'approval_required')
      await client.approvals.answer(event.data.approval.id, { decision: 'allow', scope: 'session' });
    if (event.type === 'turn_end' && event.data.outcome !== 'completed')
      throw new Error(`the turn went wrong: ${JSON.stringify(event.data)}`);
  }
  return performance.now() - startedAt;
}

type First = Awaited<ReturnType<typeof measureFirst>>;

function toFirstRows({ cold, followUp, createdBefore, createdNow }: First): Row[] {
  const toRow = (work: string, found: Summary, times: number): Row => ({
    work,
    ours: toSpread(found),
    peer: `bare SDK, cold query() ${toSpread(cold)}`,
    ratio: found.median / cold.median,
    target: `≥ ${times}× faster (here ${(cold.median / found.median).toFixed(1)}×)`,
    met: cold.median / found.median >= times,
    numbers: { median: found.median, p99: found.p99, peerMedian: cold.median, peerP99: cold.p99 },
  });
  return [
    toRow('claude: follow-up message to first event', followUp, 10),
    toRow('claude: first message, session created 1 s before', createdBefore, 2.5),
    toRow('claude: first message, session created in the same moment', createdNow, 1.8),
  ];
}

function toTurnRow({ ours, bare }: Awaited<ReturnType<typeof measureTurns>>): Row {
  const added = ours.median - bare.median;
  return {
    work: 'claude: one tool turn in default mode, judged, audited, logged, streamed',
    ours: toSpread(ours),
    peer: `bare SDK ${toSpread(bare)}`,
    ratio: ours.median / bare.median,
    target: `≤ 4 ms added (here ${toMs(added)}); the seed asks < 100 ms`,
    met: added <= 4,
    numbers: { median: ours.median, p99: ours.p99, peerMedian: bare.median, added },
  };
}

/** Heap that the server instances of one session take, over many of them. */
async function weighServers(): Promise<Row> {
  const count = 200;
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
  const tools = Array.from({ length: 20 }, (_, number) => ({
    name: `mcp__toolyard__tool_${number}`,
    description: 'A tool of the benchmark.',
    inputSchema,
  }));
  const runCall = async () => ({ toolCallId: '', tool: '', text: '', isError: false });
  const before = process.memoryUsage().heapUsed;
  const made = Array.from({ length: count }, () => createToolServers(tools, { version: '0', runCall }));
  const kept = await Promise.all(made);
  const megabytes = (process.memoryUsage().heapUsed - before) / count / 1024 / 1024;
  return {
    work: 'claude: memory of one tool server with 20 tools',
    ours: `${megabytes.toFixed(3)} MB`,
    target: '< 10 MB',
    met: megabytes < 10,
    numbers: { megabytes, count: kept.length },
  };
}
