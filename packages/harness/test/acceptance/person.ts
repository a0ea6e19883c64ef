// What a person does at a running server, over HTTP alone: opens sessions, talks, reads the event stream, is asked.
import {
  type Approval,
  type Client,
  type CreateSession,
  createClient,
  type Event,
  type PermissionMode,
  pause,
  type Session,
} from '@toolyard/sdk';
import { toOutline } from './turn-outline.ts';

/** No wait in these tests takes longer, on a machine that is busy with others. */
const patienceMs = 25_000;

/** Where the server is now: another port after each start. */
export type Door = () => { url: string; token: string };

export function createPerson(door: Door) {
  const client = (): Client => {
    const { url, token } = door();
    return createClient({ baseUrl: url, token });
  };

  /** Reads the event stream after `seq` until `isLast`. */
  async function read(sessionId: string, isLast: (event: Event) => boolean, after = 0): Promise<Event[]> {
    const seen: Event[] = [];
    const signal = AbortSignal.timeout(patienceMs);
    for await (const event of client().sessions.events(sessionId, { after, signal })) {
      seen.push(event);
      if (isLast(event)) return seen;
    }
    throw new Error(`the stream ended early: ${JSON.stringify(toOutline(seen), null, 1)}`);
  }

  let shared: Promise<Session> | undefined;
  return {
    client,
    read,
    /** One session for tests that need none of their own: a CLI takes a while to start. Gives it the mode. */
    async share(mode: PermissionMode = 'default'): Promise<Session> {
      shared ??= client().sessions.create({ engine: 'claude' });
      return client().sessions.change((await shared).id, { mode });
    },
    create: (wanted: CreateSession = {}): Promise<Session> =>
      client().sessions.create({ engine: 'claude', ...wanted }),
    /** Sends a message and reads what comes of it from the event stream, up to the end of its turn. */
    async say(sessionId: string, content: string): Promise<Event[]> {
      const { turnId, seq } = await client().sessions.send(sessionId, content);
      return read(sessionId, isEndOf(turnId), seq);
    },
    /** Waits until a person is asked. */
    asked: (sessionId: string): Promise<Approval> =>
      until('nobody was asked', async () => {
        const { items } = await client().approvals.list({ state: 'pending', sessionId });
        return items[0];
      }),
  };
}

export function isEndOf(turnId: string) {
  return (event: Event) => event.type === 'turn_end' && event.data.turnId === turnId;
}

/** What `find` comes to, as soon as it comes to something. */
export async function until<T>(
  otherwise: string,
  find: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(20);
  }
  throw new Error(otherwise);
}
