// Much of the same, with the real CLI: what grows without end shows here. Short by default; TOOLYARD_SOAK=full takes
// some minutes and prints what it measured.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isFullSoak } from '../../support/soak.ts';
import type { SoakedCalls } from './soak-calls-program.ts';
import { type SoakModelOptions, serveSoakModel } from './soak-model.ts';
import type { SoakedSessions } from './soak-sessions-program.ts';
import type { Weight } from './soak-weight.ts';

const timeout = isFullSoak ? 1_800_000 : 180_000;
const megabyte = 1024 * 1024;

/** Runs a program of this folder to its own end, in folders of its own. */
async function run<Result>(program: string, model: SoakModelOptions, order: object): Promise<Result> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-soak-')));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const [home, userHome, work, temporary] = ['home', 'user', 'work', 'tmp'].map((name) => join(root, name));
  if (!home || !userHome || !work || !temporary) throw new Error('no room for a test');
  for (const folder of [home, userHome, work, temporary]) await mkdir(folder, { mode: 0o700 });
  await writeFile(
    join(home, 'config.yaml'),
    'limits: { maxSteps: 1000, maxRepeats: 1000 }\nclaude: { spare: false }\n',
  );
  const served = await serveSoakModel(model);
  onTestFinished(() => served.close());
  const given = JSON.stringify({ home, userHome, work, modelUrl: served.url, ...order });
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', '--conditions=toolyard-source', file, given], {
    env: { PATH: process.env.PATH, HOME: userHome, TMPDIR: temporary, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const printed = await text(child.stdout);
  expect(await ended).toBe(0);
  if (isFullSoak) process.stderr.write(`${program}: ${printed}`);
  return JSON.parse(printed);
}

function growth(from: Weight | undefined, to: Weight | undefined) {
  if (!from || !to) throw new Error('it was not weighed');
  return {
    objects: to.objects - from.objects,
    heapMegabytes: (to.heapBytes - from.heapBytes) / megabyte,
    rssMegabytes: (to.rssBytes - from.rssBytes) / megabyte,
  };
}

function lightest(weights: readonly Weight[]): Weight | undefined {
  return weights.toSorted((one, other) => one.objects - other.objects)[0];
}

test('hundreds of calls (ten thousand by TOOLYARD_SOAK=full) in one session leave memory flat', {
  timeout,
}, async () => {
  const [turns, stepsPerTurn, callsPerStep] = isFullSoak ? [10, 20, 50] : [5, 2, 50];
  const model = { tool: 'mcp__toolyard__ping', callsPerStep, stepsPerTurn };
  const soaked = await run<SoakedCalls>('soak-calls-program.ts', model, { turns });
  const calls = turns * stepsPerTurn * callsPerStep;
  expect([soaked.calls, soaked.failed]).toEqual([calls, 0]);
  const { weights } = soaked;
  const grown = growth(lightest(weights.slice(1, 3)), lightest(weights.slice(-2)));
  // What a call leaves behind would be there for each of these: less than half an object is nothing. Of what is kept
  // anyway, as statements of the store by how many rows they take, there are at some moments a hundred more.
  expect(grown.objects).toBeLessThan(((turns - 3) * calls) / turns / 2);
  expect(grown.heapMegabytes).toBeLessThan(isFullSoak ? 4 : 2);
  expect(grown.rssMegabytes).toBeLessThan(60);
  expect(weights.at(-1)?.listeners).toEqual(weights[1]?.listeners);
  expect(soaked.left.resources).toEqual(soaked.before.resources);
});

test('many sessions leave no process, no file, no listener and no memory behind', { timeout }, async () => {
  const sessions = isFullSoak ? 300 : 9;
  const model = { tool: 'none', callsPerStep: 0, stepsPerTurn: 0 };
  const soaked = await run<SoakedSessions>('soak-sessions-program.ts', model, { sessions });
  const { 'never used': unused = 0, completed = 0, interrupted = 0, ...other } = soaked.outcomes;
  expect([unused + completed + interrupted, other]).toEqual([sessions, {}]);
  expect([completed > 0, unused > 0, soaked.spawned.spare > 1, soaked.spawned.own > 0]).toEqual(
    Array(4).fill(true),
  );
  const { processes, files, weight } = soaked.left;
  expect({ processes, files, resources: weight.resources, strays: soaked.strays }).toEqual({
    processes: [],
    files: [],
    strays: [],
    resources: soaked.before.resources,
  });
  expect(weight.listeners).toEqual(soaked.weights[0]?.listeners);
  const grown = growth(soaked.weights[0], soaked.weights[1]);
  // The last ones are still being let go of; one session's part of the engine is thousands of objects.
  expect(grown.objects).toBeLessThan(3_000 + sessions * 5);
  expect(grown.heapMegabytes).toBeLessThan(4);
});
