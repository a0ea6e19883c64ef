// What every store must do, as cases that run under any test runner. The cases look only at the Store port.
import type { ConformanceCase } from './engine-conformance.ts';
import { checkpointCases } from './store-cases/checkpoints.ts';
import { commitCases } from './store-cases/commits.ts';
import { logCases } from './store-cases/log.ts';
import { pendingCases } from './store-cases/pending.ts';
import { sessionCases } from './store-cases/sessions.ts';
import { transcriptCases } from './store-cases/transcripts.ts';
import { turnCases } from './store-cases/turns.ts';
import type { StoreWorld } from './store-samples.ts';

export function storeConformance(open: () => Promise<StoreWorld>): ConformanceCase[] {
  const cases = [
    ...commitCases,
    ...logCases,
    ...sessionCases,
    ...turnCases,
    ...checkpointCases,
    ...transcriptCases,
    ...pendingCases,
  ];
  return cases.map(({ title, play }) => ({
    title,
    async run() {
      const world = await open();
      try {
        await play(world);
      } finally {
        await world.close();
      }
    },
  }));
}
