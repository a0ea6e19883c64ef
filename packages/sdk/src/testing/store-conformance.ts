// What every store must do, as cases that run under any test runner. The cases look only at the Store port.
import type { ConformanceCase } from './engine-conformance.ts';
import { agentWorkCases } from './store-cases/agent-work.ts';
import { agentCases } from './store-cases/agents.ts';
import { auditCases } from './store-cases/audit.ts';
import { checkpointCases } from './store-cases/checkpoints.ts';
import { commitCases } from './store-cases/commits.ts';
import { lineageCases } from './store-cases/lineage.ts';
import { logCases } from './store-cases/log.ts';
import { pendingCases } from './store-cases/pending.ts';
import { positionCases } from './store-cases/positions.ts';
import { removalCases } from './store-cases/removal.ts';
import { retentionCases } from './store-cases/retention.ts';
import { searchCases } from './store-cases/search.ts';
import { sessionCases } from './store-cases/sessions.ts';
import { spendingCases } from './store-cases/spending.ts';
import { taskCases } from './store-cases/tasks.ts';
import { transcriptCases } from './store-cases/transcripts.ts';
import { turnCases } from './store-cases/turns.ts';
import { usageCases } from './store-cases/usage.ts';
import type { StoreWorld } from './support/store-samples.ts';

export function storeConformance(open: () => Promise<StoreWorld>): ConformanceCase[] {
  const cases = [
    ...commitCases,
    ...logCases,
    ...positionCases,
    ...sessionCases,
    ...turnCases,
    ...checkpointCases,
    ...transcriptCases,
    ...pendingCases,
    ...auditCases,
    ...usageCases,
    ...removalCases,
    ...searchCases,
    ...retentionCases,
    ...agentCases,
    ...agentWorkCases,
    ...taskCases,
    ...spendingCases,
    ...lineageCases,
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
