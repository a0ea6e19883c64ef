// The sessions that calls of MCP clients are written into: one for each session of a client that has sessions, one a
// day for each caller that has none, found again after a restart. Opened by the first call: looking leaves no trace.
// A session has one role and begins in one mode; when the configuration comes to say another, another one is opened.
import { type PermissionMode, type Session, ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../core/lib/ports.ts';
import { directEngine } from '../core/session-records/direct-turns.ts';
import type { Sessions } from '../core/sessions/sessions.ts';
import { directFor } from '../core/turns/direct-calls.ts';
import type { Caller } from './caller.ts';

export interface DirectSessionDeps {
  sessions: Pick<Sessions, 'create' | 'get' | 'list'>;
  clock: Clock;
}

const pageLength = 200;

/** What role files and configuration make of a caller now. */
export interface CallerMode {
  role: string;
  mode: PermissionMode;
}

/** The session as it is now: a person may have switched its mode since. */
export type OpenSession = (callerMode: CallerMode) => Promise<Session>;

export interface DirectSessions {
  /** A session of one's own. */
  own(caller: Caller, title: () => string): OpenSession;
  /** The one that all calls of this caller share today. */
  ofToday(caller: Caller): OpenSession;
}

export function createDirectSessions({ sessions, clock }: DirectSessionDeps): DirectSessions {
  const shared = new Map<string, () => Promise<Session>>();
  let sharedOn = '';

  function create({ actor, cwd }: Caller, { role, mode }: CallerMode, title: string): Promise<Session> {
    return sessions.create({ role, mode, cwd, title }, directFor(actor));
  }

  /** Opens with `begin` when it is first asked for, and again should the session be gone. */
  function remember(begin: () => Promise<Session>): () => Promise<Session> {
    let opening: Promise<Session> | undefined;
    const open = () => {
      const begun = begin();
      opening = begun;
      begun.catch(() => {
        if (opening === begun) opening = undefined;
      });
      return begun;
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

  /** The session of this title that an earlier run of the server opened today. No other way leads to such a title. */
  async function find({ cwd }: Caller, title: string, today: string): Promise<Session | undefined> {
    let after: string | undefined;
    do {
      const page = await sessions.list({ limit: pageLength, ...(after && { after }) });
      const found = page.find(
        (each) => each.engine === directEngine && each.title === title && each.cwd === cwd,
      );
      if (found) return found;
      after = page.length < pageLength ? undefined : page.at(-1)?.id;
      if (page.some(({ createdAt }) => createdAt < today)) return undefined;
    } while (after);
    return undefined;
  }

  return {
    own(caller, title) {
      const opened = new Map<string, () => Promise<Session>>();
      return (callerMode) => {
        const key = JSON.stringify([callerMode.role, callerMode.mode]);
        const open = opened.get(key) ?? remember(() => create(caller, callerMode, title()));
        opened.set(key, open);
        return open();
      };
    },
    ofToday: (caller) => (callerMode) => {
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      if (today !== sharedOn) shared.clear();
      sharedOn = today;
      const title = toTitle(caller, callerMode, today);
      const key = JSON.stringify([caller.actor.kind, caller.cwd, title]);
      const begin = async () => (await find(caller, title, today)) ?? create(caller, callerMode, title);
      const open = shared.get(key) ?? remember(begin);
      shared.set(key, open);
      return open();
    },
  };
}

/** Names all of the caller but the directory, which a session has anyway. */
function toTitle({ actor }: Caller, { role, mode }: CallerMode, today: string): string {
  return `MCP calls of ${actor.id} as ${role}, mode ${mode}, on ${today}`;
}

/** Somebody deleted it. */
function orNothing(thrown: unknown): undefined {
  if (thrown instanceof ToolyardError && thrown.code === 'session_not_found') return undefined;
  throw thrown;
}
