// What one POST of the protocol before 2026-07-28 carries, and what is wrong with it before anything of it runs.
import { isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/server';

/** The one revision with batches: earlier ones had none yet, later ones have none any more. */
const batchRevision = '2025-03-26';

/** The ids of the requests in a body, in order. */
export function toRequestIds(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message)).map(({ id }) => id);
}

export interface Circumstances {
  /** What was agreed when the session began. */
  revision: string | undefined;
  isUnderWay(id: RequestId): boolean;
}

/** Why a body cannot be taken, in words for whoever wrote the client. */
export function findMistake(body: unknown, { revision, isUnderWay }: Circumstances): string | undefined {
  if (Array.isArray(body) && revision !== batchRevision) {
    return `Protocol revision ${revision} has no batches: send each message in a request of its own.`;
  }
  const ids = toRequestIds(body);
  if (new Set(ids).size < ids.length) return 'Two requests of this batch have one id. Nothing of it was run.';
  // Two requests of one id would get each other's answers.
  return ids.some(isUnderWay) ? 'A request with this id is already under way.' : undefined;
}
