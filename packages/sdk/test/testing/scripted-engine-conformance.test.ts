import { createScriptedEngine, engineConformance } from '@toolyard/sdk/testing';
import { describe, it } from 'vitest';

const world = {
  start: async () => ({ engine: createScriptedEngine(), model: 'scripted/model', close: async () => {} }),
};

describe('the scripted engine keeps the port’s promises', () => {
  for (const { title, run } of engineConformance(world)) it.concurrent(title, run);
});
