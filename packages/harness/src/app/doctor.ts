// The doctor, wired: what it asks of the rooms around the core. Opens no yard, and disturbs no server that runs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type SpawnProcess } from '@toolyard/sdk';
import { type Finding, diagnose as runDoctor } from '../core/doctor.ts';
import { createLogger } from '../core/logger.ts';
import { probeClaude } from '../engines/claude/probe.ts';
import { probeTranscripts } from '../engines/claude/transcripts.ts';
import { probeSandbox } from '../sandbox/probe.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { checkDatabase } from '../store/check.ts';

export type { Finding } from '../core/doctor.ts';

export function diagnose(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return runDoctor({
    home,
    env,
    checkDatabase: () => checkDatabase(join(home, 'toolyard.db')),
    probeSandbox: () => probeSandbox(env),
    probeTranscripts: () => probeTranscripts(env, AbortSignal.timeout(5_000)),
    probeClaude: (executable) => withSpawn(env, (spawn) => probeClaude({ spawn, executable })),
    askHealth: (url) => createClient({ baseUrl: url }).health(AbortSignal.timeout(2_000)),
  });
}

/** Lends a way to start processes that belong to no home, so that none of a running server's is touched. */
async function withSpawn<T>(env: NodeJS.ProcessEnv, work: (spawn: SpawnProcess) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-doctor-'));
  try {
    const sandbox = await openSandbox({
      home: folder,
      env,
      logger: createLogger({ TOOLYARD_LOG: 'silent' }),
    });
    return await work(sandbox.spawn).finally(() => sandbox.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
