import type { Engine } from '@toolyard/sdk';
import { createScriptedEngine, engineConformance } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { brokenEngines } from './broken-engines.ts';

function toWorld(engine: Engine) {
  return { start: async () => ({ engine, model: 'scripted/model', close: async () => {} }) };
}

describe('the scripted engine keeps the port’s promises', () => {
  for (const { title, run } of engineConformance(toWorld(createScriptedEngine()))) it.concurrent(title, run);
});

describe('the suite catches an engine that', () => {
  it.concurrent.each(brokenEngines)('$bug', async ({ engine, caughtBy }) => {
    const cases = engineConformance(toWorld(engine)).filter(({ title }) => title.startsWith(caughtBy));
    const verdicts = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(verdicts.map(({ status }) => status)).toContain('rejected');
  });
});
