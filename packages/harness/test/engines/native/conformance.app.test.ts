import { engineConformance } from '@toolyard/sdk/testing';
import { describe, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { accessTo } from './native-turn.ts';
import { readScenario } from './wires/double.ts';

const world = {
  async start() {
    const rehearsal = await serveRehearsal({ scenarios: [await readScenario(scenarioPaths.conformance)] });
    const engine = createNativeEngine({
      access: accessTo({ baseUrl: rehearsal.url }),
      retry: { initialWaitMs: 10 },
    });
    return { engine, model: 'anthropic/rehearsal', close: rehearsal.close };
  },
};

describe('the native engine, over HTTP to the scripted model, keeps the port’s promises', () => {
  for (const { title, run } of engineConformance(world)) it(title, run);
});
