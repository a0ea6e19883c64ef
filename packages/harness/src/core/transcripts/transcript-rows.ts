// What is found on disk → rows: a session like any other, and which file it is. Decides whose a transcript is.
import type {
  Session,
  Store,
  StoreWrites,
  TranscriptFinding,
  TranscriptRow,
  TranscriptStamp,
} from '@toolyard/sdk';
import { idAt } from '../lib/ids.ts';

export type Found = Extract<TranscriptFinding, { kind: 'found' }>;
/** What a session that was begun elsewhere gets of ours. */
export type Defaults = Pick<Session, 'role' | 'model' | 'mode' | 'workspace'>;

interface TranscriptRowDeps {
  engine: string;
  store: Store;
  defaultsFor(cwd: string): Promise<Defaults>;
}

export interface Put {
  /** What is known of it now; nothing while it is not known whose it is. */
  stamp?: TranscriptStamp;
  /** The session whose log may lack something now. */
  sessionId?: string;
}

export function createTranscriptRows({ engine, store, defaultsFor }: TranscriptRowDeps) {
  async function toFresh({ stamp, summary }: Found): Promise<Fresh> {
    const { model, ...rest } = await defaultsFor(summary.cwd);
    const id = idAt('ses', Date.parse(summary.createdAt));
    const { title, cwd, createdAt, updatedAt, isMaybeOurs = false } = summary;
    return {
      stamp,
      isMaybeOurs,
      session: {
        id,
        title,
        cwd,
        createdAt,
        updatedAt,
        engine,
        ...rest,
        model: summary.model ?? model,
        status: 'idle',
        rootSessionId: id,
        costUsd: null,
        origin: 'outside',
      },
    };
  }

  return {
    /** In one commit. */
    async put(found: readonly Found[]): Promise<Put[]> {
      const fresh = await Promise.all(found.map(toFresh));
      return store.commit(async (tx) => {
        const puts: Put[] = [];
        for (const each of fresh) puts.push(await put(tx, engine, each));
        return puts;
      });
    },

    /** Their files are gone, and what was never read into our log with them. */
    async remove(missing: readonly TranscriptStamp[]): Promise<void> {
      await store.commit(async (tx) => {
        for (const { token } of missing) {
          await tx.removeDeletedTranscript(engine, token);
          const row = await tx.transcript(engine, token);
          const session = row && (await tx.session(row.sessionId));
          if (session?.origin === 'outside' && session.lastSeq === 0) await tx.deleteSession(session.id);
        }
      });
    },
  };
}

interface Fresh {
  stamp: TranscriptStamp;
  isMaybeOurs: boolean;
  session: Omit<Session, 'lastSeq'>;
}

async function put(tx: StoreWrites, engine: string, fresh: Fresh): Promise<Put> {
  const { stamp, session, isMaybeOurs } = fresh;
  const row = await tx.transcript(engine, stamp.token);
  if (!row && (await staysDeleted(tx, engine, fresh))) return { stamp };
  const owner = await findOwner(tx, engine, stamp.token, row);
  // The next look will know whose it is.
  if (!owner && isMaybeOurs) return {};
  if (!owner) {
    await tx.insertSession(session);
    await tx.index([{ sessionId: session.id, seq: 0, text: session.title }]);
    await tx.saveCheckpoint({ sessionId: session.id, originTurnId: session.id }, { token: stamp.token });
  } else if (owner.origin === 'outside') {
    const { title, updatedAt } = session;
    await tx.updateSession(owner.id, {
      // What a person has named it here stays.
      ...(owner.title === row?.title && { title }),
      ...(updatedAt > owner.updatedAt && { updatedAt }),
    });
    if (owner.title === row?.title && title !== owner.title) {
      await tx.index([{ sessionId: owner.id, seq: 0, text: title }]);
    }
  }
  const sessionId = owner?.id ?? session.id;
  // What was read into another session's log is not in this one's.
  const before = row?.sessionId === sessionId ? row : {};
  await tx.putTranscript({ ...before, engine, ...stamp, title: session.title, sessionId });
  const mayLack = owner && (row?.cursor !== undefined || owner.origin !== 'outside');
  return { stamp, ...(mayLack && { sessionId }) };
}

/**
 * Was its session deleted, and has nothing been added since? Then it is only remembered as it is. What somebody goes
 * on with outside is a session again, with all that is in it.
 */
async function staysDeleted(tx: StoreWrites, engine: string, { stamp }: Fresh): Promise<boolean> {
  const deleted = await tx.deletedTranscript(engine, stamp.token);
  if (!deleted) return false;
  const isLonger = stamp.size > deleted.size && stamp.modifiedAt > Date.parse(deleted.deletedAt);
  if (isLonger) await tx.removeDeletedTranscript(engine, stamp.token);
  else await tx.putDeletedTranscript({ ...deleted, ...stamp });
  return !isLonger;
}

/** A session of ours outranks one that was found outside before we knew that it was ours. */
async function findOwner(
  tx: StoreWrites,
  engine: string,
  token: string,
  row: TranscriptRow | undefined,
): Promise<Session | undefined> {
  const ids = new Set([...(row ? [row.sessionId] : []), ...(await tx.sessionsByToken(engine, token))]);
  const sessions: Session[] = [];
  for (const id of ids) {
    const session = await tx.session(id);
    if (session) sessions.push(session);
  }
  const owner = sessions.find(({ origin }) => origin !== 'outside') ?? sessions[0];
  for (const other of sessions) {
    if (other !== owner && other.origin === 'outside') await tx.deleteSession(other.id);
  }
  return owner;
}
