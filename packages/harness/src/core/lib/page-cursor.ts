// Where a page of a list begins. What it was to begin after may have been deleted meanwhile: that is no end of the list.
import { ToolyardError } from '@toolyard/sdk';

/** Throws `invalid_cursor` when nothing is found at it. */
export async function requireCursor<Id extends string>(
  after: Id | undefined,
  find: (id: Id) => Promise<unknown>,
): Promise<void> {
  if (after === undefined || (await find(after))) return;
  const message = `The cursor ${after} does not exist; it may have been deleted. Start with the first page.`;
  throw new ToolyardError('invalid_cursor', message);
}
