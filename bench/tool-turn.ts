// One tool turn of the native engine, from sending the message to the end of the turn, beside the bare AI SDK loop.
import { join } from 'node:path';
import { type Client, createClient } from '@toolyard/sdk';
import { openYard, type Yard } from '../packages/harness/src/app.ts';
import { createBareLoop } from './bare-loop.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { interleave, timed } from './interleave.ts';
import { openPlainDatabase } from './plain-commits.ts';
import { startModel } from './processes.ts';
import { type Summary, toMs, toSpread } from './samples.ts';

const prompt = 'ping the server';
const perRound = 10;
const warmUp = 50;
const allowedRatio = 1.3;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export const toolTurn: Benchmark = {
  name: 'tool-turn',
  title: 'native: one tool turn',
  async run({ rounds, folder }) {
    await using model = await startModel();
    using plain = openPlainDatabase(folder);
    await using counted = await openCountedYard(folder, model.url);
    const { yard, commits } = counted;
    const [inProcess, overHttp] = [yard.client(), await listen(yard)];
    const bare = await createPeer(yard, model.url);
    const commitsPerTurn: number[] = [];
    const turn = async (client: Client) => {
      const { id } = await client.sessions.create({ engine: 'native', mode: 'acceptEdits' });
      const before = commits();
      const ms = await timed(() => converse(client, id));
      commitsPerTurn.push(commits() - before);
      return ms;
    };
    const found = await interleave(
      {
        ours: { run: () => turn(inProcess) },
        bare: { run: () => timed(() => bare(prompt)) },
        twoCommits: { run: () => timed(() => plain.commit(2)) },
        http: { run: () => turn(overHttp) },
      },
      { rounds, perRound, warmUp },
    );
    return toFindings(found, commitsPerTurn.slice(2 * warmUp));
  },
};

/** A whole yard in this process on a home of its own, and how many durable commits it has made. */
async function openCountedYard(folder: string, modelUrl: string) {
  let commits = 0;
  const yard = await openYard({
    home: join(folder, 'home'),
    workspace: folder,
    env: { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'bench' },
    logger: quiet,
    onCrashPoint: (point) => {
      if (point === 'commit.durable') commits += 1;
    },
  });
  return { yard, commits: () => commits, [Symbol.asyncDispose]: () => yard.close() };
}

async function listen(yard: Yard): Promise<Client> {
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  return createClient({ baseUrl: url, token: yard.token });
}

async function createPeer(yard: Yard, modelUrl: string): Promise<(prompt: string) => Promise<string>> {
  const { model, role } = yard.config.defaults;
  const { items: tools } = await yard.client().tools.list();
  return createBareLoop({
    modelUrl,
    model,
    instructions: await readInstructions(yard.client(), role),
    tools,
  });
}

/** Sends the message and reads up to the end of its turn. A turn that did not do the work is no measurement. */
async function converse(client: Client, sessionId: string): Promise<void> {
  let called = false;
  for await (const event of client.sessions.stream(sessionId, prompt)) {
    if (event.type === 'tool_result') called = !event.data.isError;
    if (event.type === 'turn_end' && (event.data.outcome !== 'completed' || !called)) {
      throw new Error(`the turn went wrong: ${JSON.stringify(event.data)}`);
    }
  }
}

type Found = Record<'ours' | 'bare' | 'twoCommits' | 'http', Summary>;

function toFindings(
  { ours, bare, twoCommits, http }: Found,
  counted: number[],
): { rows: Row[]; notes: string[] } {
  const allowed = allowedRatio * bare.median + twoCommits.median;
  const peer = `bare AI SDK loop ${toSpread(bare)}`;
  const commits = counted.reduce((sum, count) => sum + count, 0) / counted.length;
  const toRow = (work: string, found: Summary): Row => ({
    work,
    ours: toSpread(found),
    peer,
    ratio: found.median / bare.median,
    numbers: { median: found.median, p99: found.p99, peerMedian: bare.median, peerP99: bare.p99 },
  });
  const inProcess = toRow('native: one tool turn, in process', ours);
  return {
    rows: [
      {
        ...inProcess,
        target: `≤ ${allowedRatio}× + two durable commits = ${toMs(allowed)}`,
        met: ours.median <= allowed,
        numbers: { ...inProcess.numbers, twoCommits: twoCommits.median, allowed, commitsPerTurn: commits },
      },
      toRow('native: the same turn over HTTP', http),
    ],
    notes: [
      `Two durable commits took ${toSpread(twoCommits)} here; our turn makes ${commits.toFixed(1)} of them.`,
    ],
  };
}

/** The same system prompt for both arms. */
async function readInstructions(client: Client, role: string): Promise<string> {
  const { items } = await client.roles.list();
  return items.find(({ name }) => name === role)?.instructions ?? '';
}
