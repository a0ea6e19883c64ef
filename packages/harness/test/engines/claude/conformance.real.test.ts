import type { Engine, EngineSession } from '@toolyard/sdk';
import { engineConformance } from '@toolyard/sdk/testing';
import { afterAll, describe, it } from 'vitest';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { openClaudeWorld } from './claude-world.ts';

const model = 'anthropic/claude-sonnet-5';
const { engine, close } = await openClaudeWorld(scenarioPaths.conformance);
const pool = createSessionPool(engine);
afterAll(async () => {
  await pool.close();
  await close();
});

/** About how sessions begin, go on and end, or about what was said before; one fills the window. */
const needsOwnSession = /^(memory|two sessions|big text|close|continue|resume):/;
/** The CLI waits some seconds in all before it gives up. */
const waitsLong = /^(overload then success|rate limited|overload for ever|unauthorized|stream cut):/;
const own = engineConformance({ start: async () => ({ engine, model, close: async () => {} }) });
const pooled = engineConformance({
  start: async () => ({ engine: pool.engine, model, close: async () => {} }),
});
const cases = own.map((each) => {
  const shared = pooled.find(({ title }) => title === each.title) ?? each;
  return needsOwnSession.test(each.title) ? each : shared;
});
const isAlone = (title: string) => !needsOwnSession.test(title) && !waitsLong.test(title);

describe('the claude engine, the real CLI against the scripted model, keeps the port’s promises', () => {
  const timeout = 40_000;
  for (const { title, run } of cases.filter((each) => isAlone(each.title))) it(title, { timeout }, run);
  for (const { title, run } of cases.filter((each) => !isAlone(each.title)))
    it.concurrent(title, { timeout }, run);
});

/** A CLI takes long to start: a session that a case has closed serves the next case that wants one like it. */
function createSessionPool(real: Engine): { engine: Engine; close(): Promise<void> } {
  const sessions: EngineSession[] = [];
  const idle = new Map<number, EngineSession>();
  return {
    engine: {
      ...real,
      async start(spec) {
        const session = idle.get(spec.maxSteps) ?? (await real.start(spec));
        idle.delete(spec.maxSteps);
        sessions.push(session);
        return { ...session, close: async () => void idle.set(spec.maxSteps, session) };
      },
    },
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}
