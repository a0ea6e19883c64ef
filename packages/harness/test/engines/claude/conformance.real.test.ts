import { engineConformance } from '@toolyard/sdk/testing';
import { describe, it } from 'vitest';
import { scenarioPaths } from '../../../src/rehearsal/load-scenario.ts';
import { openClaudeWorld } from './claude-world.ts';

const world = {
  async start() {
    const { engine, close } = await openClaudeWorld(scenarioPaths.conformance);
    return { engine, model: 'anthropic/claude-sonnet-5', close };
  },
};

describe('the claude engine, the real CLI against the scripted model, keeps the port’s promises', () => {
  for (const { title, run } of engineConformance(world)) it(title, { timeout: 40_000 }, run);
});
