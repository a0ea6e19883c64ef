import type { Engine, EngineSession, EngineSpec } from '@toolyard/sdk';
import { type ConformanceCase, engineConformance } from '@toolyard/sdk/testing';
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

/** About how sessions begin and go on, or about what was said before. */
const needsOwnSession = /^(memory|continue|resume):/;
/** The CLI waits some seconds in all before it gives up. */
const waitsLong = /^(overload then success|rate limited|overload for ever|unauthorized|stream cut):/;
/** Knows what was said before, and leaves two sessions for the others. */
const comesFirst = /^two sessions:/;
/** One fills the window, the other closes what it was given. */
const comesLast = /^(big text|close):/;
const casesOn = (used: Engine) =>
  engineConformance({ start: async () => ({ engine: used, model, close: async () => {} }) });
const [own, pooled, last] = [casesOn(engine), casesOn(pool.engine), casesOn(pool.lastUse)];
const isOneAfterAnother = ({ title }: ConformanceCase) =>
  ![needsOwnSession, waitsLong, comesFirst, comesLast].some((kind) => kind.test(title));

describe('the claude engine, the real CLI against the scripted model, keeps the port’s promises', () => {
  const timeout = 40_000;
  const inOrder = [
    ...pooled.filter(({ title }) => comesFirst.test(title)),
    ...pooled.filter(isOneAfterAnother),
  ];
  for (const { title, run } of inOrder) it(title, { timeout }, run);
  const atOnce = [
    ...own.filter(({ title }) => needsOwnSession.test(title)),
    ...pooled.filter(({ title }) => waitsLong.test(title)),
  ];
  for (const { title, run } of atOnce) it.concurrent(title, { timeout }, run);
  for (const { title, run } of last.filter((each) => comesLast.test(each.title))) it(title, { timeout }, run);
});

/** A CLI takes long to start: a session that a case has closed serves the next case that wants one like it. */
function createSessionPool(real: Engine) {
  const sessions: EngineSession[] = [];
  const idle: { maxSteps: number; session: EngineSession }[] = [];
  const take = async (spec: EngineSpec) => {
    const at = idle.findIndex(({ maxSteps }) => maxSteps === spec.maxSteps);
    const session = idle.splice(at, at < 0 ? 0 : 1)[0]?.session ?? (await real.start(spec));
    sessions.push(session);
    return session;
  };
  const engine: Engine = {
    ...real,
    async start(spec) {
      const session = await take(spec);
      let isClosed = false;
      const close = async () => {
        if (!isClosed) idle.push({ maxSteps: spec.maxSteps, session });
        isClosed = true;
      };
      return { ...session, close };
    },
  };
  return {
    engine,
    /** For a case after which nobody wants the session. */
    lastUse: { ...real, start: take },
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}
