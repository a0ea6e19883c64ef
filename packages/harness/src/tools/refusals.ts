// How a refusal of core reaches a model: its code first, then the sentence that says what to do.
import { ToolError, ToolyardError } from '@toolyard/sdk';

/** For `.catch`: what core refused is told; anything else stays an accident. */
export function refuse(thrown: unknown): never {
  if (thrown instanceof ToolyardError)
    throw new ToolError(`${thrown.code}: ${thrown.message}`, { cause: thrown });
  throw thrown;
}
