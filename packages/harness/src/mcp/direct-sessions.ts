// The sessions that calls of MCP clients are written into: one for each session of a client that has sessions, one a
// day for each caller that has none. Opened by the first call, so that looking leaves no trace.
import { type Session, ToolyardError } from '@toolyard/sdk';
import { directEngine } from '../core/direct-calls.ts';
import type { Clock } from '../core/ports.ts';
import type { Sessions } from '../core/sessions.ts';
import { type Caller, toKey } from './caller.ts';

export interface DirectSessionDeps {
  sessions: Pick<Sessions, 'create' | 'get'>;
  clock: Clock;
}

/** The session as it is now: a person may have switched its mode since. */
export type OpenSession = () => Promise<Session>;

export interface DirectSessions {
  /** A session of one's own. */
  own(caller: Caller, title: () => string): OpenSession;
  /** The one that all calls of this caller share today. */
  ofToday(caller: Caller): OpenSession;
}

export function createDirectSessions({ sessions, clock }: DirectSessionDeps): DirectSessions {
  const shared = new Map<string, OpenSession>();
  let sharedOn = '';

  function own({ role, cwd }: Caller, title: () => string): OpenSession {
    let opening: Promise<Session> | undefined;
    const open = () => {
      const created = sessions.create({ ...(role && { role }), cwd, title: title() }, directEngine);
      opening = created;
      created.catch(() => {
        if (opening === created) opening = undefined;
      });
      return created;
    };
    return async () => {
      const before = opening;
      if (!before) return open();
      const { id } = await before;
      const found = await sessions.get(id).catch(orNothing);
      if (found) return found;
      return opening && opening !== before ? opening : open();
    };
  }

  return {
    own,
    ofToday(caller) {
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      if (today !== sharedOn) shared.clear();
      sharedOn = today;
      const key = toKey(caller);
      const open = shared.get(key) ?? own(caller, () => `MCP calls of ${caller.actor.id} on ${today}`);
      shared.set(key, open);
      return open;
    },
  };
}

/** Somebody deleted it. */
function orNothing(thrown: unknown): undefined {
  if (thrown instanceof ToolyardError && thrown.code === 'session_not_found') return undefined;
  throw thrown;
}
