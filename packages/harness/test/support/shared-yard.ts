// One yard for the tests of a file or of a `describe` that do not disturb each other: opened by the first that asks,
// closed after the last.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { afterAll } from 'vitest';
import { openYard, type YardOptions } from '../../src/app.ts';
import { workBeside } from './work.ts';
import { quiet, type TestYard } from './yard.ts';

export interface SharedYardOptions extends Partial<YardOptions> {
  /** After so many tests the next one gets a new yard. */
  maxUses?: number;
}

/** Call it where tests are declared; what it gives is called in the tests. */
export function shareYard(options: SharedYardOptions = {}): () => Promise<TestYard> {
  const { maxUses = Number.POSITIVE_INFINITY, ...rest } = options;
  const opened: Promise<TestYard>[] = [];
  let uses = 0;
  afterAll(async () => {
    for (const yard of await Promise.all(opened.splice(0))) {
      await yard.close();
      for (const folder of [yard.home, yard.work])
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
  let current: Promise<TestYard> | undefined;
  return () => {
    if (current === undefined || uses % maxUses === 0) {
      current = open(rest);
      opened.push(current);
    }
    uses += 1;
    return current;
  };
}

async function open(options: Partial<YardOptions>): Promise<TestYard> {
  const home = await mkdtemp(join(tmpdir(), 'toolyard-test-'));
  const engine = options.engine ?? createScriptedEngine();
  const work = workBeside(home);
  const yard = await openYard({ home, env: {}, workspace: work, logger: quiet, engine, ...options });
  return Object.assign(yard, { home, work });
}
