// What every engine must do, as cases that run under any test runner. The model behind the engine must answer the
// texts `conformance: …` as documented in scripted-replies.ts; the cases look only at the Engine port.
import { answerCases } from './engine-cases/answers.ts';
import { continueCases } from './engine-cases/continuing.ts';
import { failureCases } from './engine-cases/failures.ts';
import { stoppingCases } from './engine-cases/stopping.ts';
import { toolCases } from './engine-cases/tools.ts';
import { type EngineWorld, openStage } from './support/engine-stage.ts';

export interface ConformanceCase {
  title: string;
  /** Rejects when the engine breaks the promise in the title. */
  run(): Promise<void>;
}

export function engineConformance(world: EngineWorld): ConformanceCase[] {
  const cases = [...answerCases, ...toolCases, ...stoppingCases, ...failureCases, ...continueCases];
  return cases.map(({ title, play }) => ({
    title,
    async run() {
      const stage = await openStage(world);
      try {
        await play(stage);
      } finally {
        await stage.close();
      }
    },
  }));
}
