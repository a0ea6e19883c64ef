// What the page does with whole sessions, past what every screen needs.
import { type Session, ToolyardError } from '@toolyard/sdk';
import { client } from '../connection/client.ts';

export async function deleteSession(id: string): Promise<void> {
  await client.sessions.delete(id).catch((thrown: unknown) => {
    // Somebody else did it: that is what was wanted.
    if (!(thrown instanceof ToolyardError && thrown.code === 'session_not_found')) throw thrown;
  });
}

/** A session that goes on from all of this one, or from where the event `at` is. */
export function forkSession(id: string, at?: number): Promise<Session> {
  return client.sessions.fork(id, at === undefined ? {} : { at });
}
