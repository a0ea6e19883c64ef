import { engineConformance } from '@toolyard/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { accessTo } from './native-turn.ts';
import { serveDouble } from './wires/double.ts';
import { doubledProviders } from './wires/providers.ts';

describe.each(Object.entries(doubledProviders))(
  'the native engine on %s keeps the port’s promises',
  (_, provider) => {
    const complaints: string[] = [];
    const world = {
      async start() {
        const double = await serveDouble(provider.wire);
        const engine = createNativeEngine({
          access: accessTo({ baseUrl: double.url, ...provider.granted }),
          retry: { initialWaitMs: 10 },
        });
        const close = async () => {
          complaints.push(...double.complaints);
          await double.close();
        };
        return { engine, model: provider.model, close };
      },
    };
    const cases = engineConformance(world).filter(
      ({ title }) => !(provider.thoughtless && title.startsWith('thinking:')),
    );
    for (const { title, run } of cases) it.concurrent(title, run);

    afterAll(() => expect(complaints).toEqual([]));
  },
);
