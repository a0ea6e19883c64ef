// Opens and closes many sessions on one engine, a few at a time: with the spare or a process of their own, used or not,
// closed between turns, in one or while they start. Closes everything and must then end by itself. Prints one line.
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, type Engine, type EngineSpec, pause } from '@toolyard/sdk';
import { createRecordingHost, suiteTools } from '@toolyard/sdk/testing';
import { createClaudeEngine } from '../../../src/engines/claude/engine.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Weight, weigh } from './soak-weight.ts';

export interface SessionsOrder {
  home: string;
  userHome: string;
  work: string;
  modelUrl: string;
  sessions: number;
}

export interface SoakedSessions {
  /** How the turns ended, and how often. */
  outcomes: Record<string, number>;
  spawned: { spare: number; own: number };
  /** After a third of the sessions, and after all. */
  weights: Weight[];
  /** When everything is closed: of ours. */
  left: { processes: number[]; files: string[]; weight: Weight };
  /** Before anything was opened. */
  before: Weight;
  strays: string[];
  tookMs: number;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const atOnce = 3;
const strays: string[] = [];
process.on('unhandledRejection', (stray) => strays.push(String(stray)));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** One session's life, another kind of life for each number. */
async function live(engine: Engine, spec: EngineSpec, nth: number): Promise<string> {
  // Without this there would be a spare only when nobody comes for a while.
  if (nth % 4 === 0) engine.expect?.(spec);
  await pause(100);
  const isOther = nth % 3 === 2;
  const session = await engine.start({ ...spec, sessionId: `ses_${nth}`, ...(isOther && { tools: [] }) });
  try {
    if (nth % 7 === 6) return 'never used';
    const host = createRecordingHost();
    const turn = session.prompt({ kind: 'message', content: 'go' }, host);
    if (nth % 5 === 4) {
      await pause(nth % 400);
      await session.close();
    }
    return (await turn).outcome;
  } finally {
    await session.close();
  }
}

async function soak({ home, userHome, work, modelUrl, sessions }: SessionsOrder): Promise<SoakedSessions> {
  const before = await weigh();
  const begun = performance.now();
  const env = { PATH: process.env.PATH ?? '', HOME: userHome, TMPDIR: tmpdir() };
  const sandbox = await openSandbox({ home, env, logger: silent });
  const pids: number[] = [];
  const spawned = { spare: 0, own: 0 };
  const engine = createClaudeEngine({
    env,
    version: 'test',
    home,
    hasViews: sandbox.hasViews,
    openShell: sandbox.openShell,
    unconfined: () => undefined,
    streamTimeoutMs: 600_000,
    config: Config.parse({}).claude,
    access: async () => ({ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'soak' }),
    freeMemory: () => Number.POSITIVE_INFINITY,
    async spawn(spec) {
      const owned = await sandbox.spawn(spec);
      pids.push(owned.pid);
      spawned[spec.args.includes('--await-claim') ? 'spare' : 'own']++;
      return owned;
    },
  });
  const spec = {
    sessionId: 'ses_soak',
    model: 'anthropic/claude-sonnet-5',
    instructions: 'You are being tested.',
    cwd: work,
    maxSteps: 20,
    tools: suiteTools,
    nativeTools: ['claude:Read'],
  };
  const outcomes: Record<string, number> = {};
  const weights: Weight[] = [];
  let next = 0;
  const liveUpTo = async (upTo: number) => {
    while (next < upTo) {
      const outcome = await live(engine, spec, next++);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  for (const upTo of [Math.ceil(sessions / 3), sessions]) {
    await Promise.all(Array.from({ length: atOnce }, () => liveUpTo(upTo)));
    weights.push(await weigh());
  }
  await engine.close?.();
  await sandbox.close();
  const files = await Promise.all([ours(tmpdir()), readdir(join(home, 'processes')), parked(userHome)]);
  const left = { processes: pids.filter(isAlive), files: files.flat(), weight: await weigh() };
  return { outcomes, spawned, weights, left, before, strays, tookMs: Math.round(performance.now() - begun) };
}

/** The CLI has folders of its own there, and keeps them. */
async function ours(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !/^(claude-|cc-)/.test(name));
}

const parked = (userHome: string) => readdir(join(userHome, '.claude', 'spares')).catch(() => []);

const soaked = await soak(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify(soaked)}\n`);
