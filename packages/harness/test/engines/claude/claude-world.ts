// The real CLI with a home of its own, confined as in the product, against a scripted model on loopback.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, type Engine } from '@toolyard/sdk';
import { type ClaudeEngineOptions, createClaudeEngine } from '../../../src/engines/claude/engine.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface ClaudeWorld {
  engine: Engine;
  /** Toolyard's. */
  home: string;
  /** The person's. */
  userHome: string;
  /** An empty directory to work in. */
  cwd: string;
  close(): Promise<void>;
}

export async function openClaudeWorld(
  scenarioPath: string,
  changed: Partial<ClaudeEngineOptions> = {},
): Promise<ClaudeWorld> {
  const root = await mkdtemp(join(tmpdir(), 'toolyard-claude-'));
  const [userHome, home, cwd] = await Promise.all(
    ['user', 'home', 'work'].map((name) => mkdtemp(join(root, `${name}-`))),
  );
  if (!userHome || !home || !cwd) throw new Error('no room for a test');
  const env = { PATH: process.env.PATH ?? '', HOME: userHome };
  const rehearsal = await serveRehearsal({ scenarioPath });
  const sandbox = await openSandbox({ home, env, logger: silent });
  const engine = createClaudeEngine({
    env,
    version: 'test',
    home,
    hasViews: sandbox.hasViews,
    openShell: sandbox.openShell,
    unconfined: () => undefined,
    streamTimeoutMs: 600_000,
    spawn: sandbox.spawn,
    config: { ...Config.parse({}).claude, spare: false },
    access: async () => ({ ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'test' }),
    ...changed,
  });
  return {
    engine,
    home,
    userHome,
    cwd,
    async close() {
      await engine.close?.();
      await sandbox.close();
      await rehearsal.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
