// Said by whoever counts the steps of a turn: its engine, or the harness where a turn goes on after a restart.
import type { Failure } from '../protocol/error.ts';

export function stepLimit(maxSteps: number | string): Failure {
  const message = `The turn stopped after ${maxSteps} model steps, the most one turn may take (limits.maxSteps). Send a message to let it go on.`;
  return { code: 'step_limit', message };
}
