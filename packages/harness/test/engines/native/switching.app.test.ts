// A session may go on with another provider's model: nothing of the one before that only it could read goes along.
import { createJournal, createRecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { accessTo, spec } from './native-turn.ts';
import { readScenario, serveDouble } from './wires/double.ts';
import { doubledProviders } from './wires/providers.ts';

const names = ['anthropic', ...Object.keys(doubledProviders)];

async function serve(name: string) {
  const provider = doubledProviders[name];
  if (!provider) {
    const { url, close } = await serveRehearsal({
      scenarios: [await readScenario(scenarioPaths.conformance)],
    });
    onTestFinished(close);
    return { model: 'anthropic/rehearsal', access: accessTo({ baseUrl: url }), complaints: [] };
  }
  const double = await serveDouble(provider.wire);
  onTestFinished(double.close);
  const access = accessTo({ baseUrl: double.url, ...provider.granted });
  return { model: provider.model, access, complaints: double.complaints };
}

describe.each(names)('from %s', (from) => {
  it.each(names.filter((to) => to !== from))('to %s', async (to) => {
    const journal = createJournal();
    const talk = async (name: string, messages: readonly string[]) => {
      const { model, access, complaints } = await serve(name);
      const resume = journal.resume();
      const session = await createNativeEngine({ access }).start({ ...spec, model, resume });
      for (const content of messages) {
        const host = createRecordingHost({ journal });
        const outcome = await session.prompt({ kind: 'message', content }, host);
        expect([outcome, complaints]).toEqual([{ outcome: 'completed' }, []]);
      }
    };
    await talk(from, ['conformance: thinking', 'conformance: one tool', 'conformance: tool error']);
    await talk(to, ['conformance: parallel tools', 'conformance: text']);
    await talk(from, ['conformance: one tool']);
  });
});
