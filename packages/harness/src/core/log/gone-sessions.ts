// Sessions that were deleted lately. Whoever still writes about one has not heard of it yet, and must not keep others
// from writing.
import { ToolyardError } from '@toolyard/sdk';

const kept = 10_000;

export function createGoneSessions() {
  const ids = new Set<string>();
  return {
    has: (id: string) => ids.has(id),
    delete: (id: string) => ids.delete(id),
    add(id: string): void {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > kept && oldest) ids.delete(oldest);
    },
    refuse(id: string): void {
      if (ids.has(id)) throw new ToolyardError('session_not_found', `The session ${id} was deleted.`);
    },
  };
}
