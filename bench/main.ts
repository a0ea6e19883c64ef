// `npm run bench [-- --json FILE] [-- --only NAME] [-- --rounds N]`: measures, prints a table, judges nothing.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { agents } from './agents.ts';
import { backup } from './backup.ts';
import type { Benchmark } from './benchmark.ts';
import { claude } from './claude.ts';
import { commitRate } from './commit-rate.ts';
import { confinement } from './confinement.ts';
import { longSession } from './long-session.ts';
import { mcpCall } from './mcp-call.ts';
import { paint } from './paint.ts';
import { readers } from './readers.ts';
import { describeMachine, toJson, toMarkdown } from './report.ts';
import { runAll } from './run-all.ts';
import { search } from './search.ts';
import { serverStart } from './server-start.ts';
import { streaming } from './streaming.ts';
import { taskContext } from './task-context.ts';
import { toolTurn } from './tool-turn.ts';
import { toolbox } from './toolbox.ts';
import { transcripts } from './transcripts.ts';

const benchmarks: readonly Benchmark[] = [
  toolTurn,
  claude,
  serverStart,
  streaming,
  readers,
  paint,
  longSession,
  commitRate,
  mcpCall,
  toolbox,
  transcripts,
  agents,
  taskContext,
  search,
  backup,
  confinement,
];
const minRounds = 10;

interface Wanted {
  chosen: readonly Benchmark[];
  rounds: number;
  jsonPath?: string;
}

function parseWanted(argv: string[]): Wanted {
  const { values } = parseArgs({
    args: argv,
    options: { json: { type: 'string' }, only: { type: 'string' }, rounds: { type: 'string' } },
  });
  const rounds = Number(values.rounds ?? 20);
  if (!Number.isInteger(rounds) || rounds < minRounds)
    throw new Error(`--rounds takes a whole number from ${minRounds} on.`);
  const chosen = benchmarks.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0)
    throw new Error(
      `There is no benchmark "${values.only}": ${benchmarks.map(({ name }) => name).join(', ')}.`,
    );
  // npm runs scripts in the root; a path is meant from where the person is.
  const from = process.env.INIT_CWD ?? process.cwd();
  return { chosen, rounds, ...(values.json && { jsonPath: resolve(from, values.json) }) };
}

async function main(): Promise<void> {
  const wanted = parseWanted(process.argv.slice(2));
  const machine = describeMachine();
  const root = await mkdtemp(join(tmpdir(), 'toolyard-bench-'));
  try {
    const { chosen, rounds, jsonPath } = wanted;
    const onBegin = (title: string) => console.error(`${title} …`);
    const { broken, ...findings } = await runAll(chosen, { rounds, root, onBegin });
    console.log(toMarkdown(findings, machine));
    if (jsonPath) await writeFile(jsonPath, toJson(findings, machine, rounds));
    if (broken > 0) process.exitCode = 1;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

await main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
});
