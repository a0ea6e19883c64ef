// How a refusal of core reaches a model: its code first, then the sentence that says what to do, in terms of tools.
import { ToolError, ToolyardError } from '@toolyard/sdk';
import { toToolTerms } from '../core/lib/tool-terms.ts';

/** For `.catch`: what core refused is told; anything else stays an accident. */
export function refuse(thrown: unknown): never {
  if (thrown instanceof ToolyardError)
    throw new ToolError(`${thrown.code}: ${toToolTerms(thrown.message)}`, { cause: thrown });
  throw thrown;
}
