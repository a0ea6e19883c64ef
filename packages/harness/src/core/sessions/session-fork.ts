// Forking a session: another one that goes on from its first turns. Whole turns only, so that what the log of the fork
// shows is what its agent remembers. One commit makes it; until then nothing of it is there.
import type { Engine, ForkSession, Resume, Session, Store, StoreWrites, TurnHead } from '@toolyard/sdk';
import { ToolyardError } from '@toolyard/sdk';
import type { Outputs } from '../calls/output.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { readPage } from '../log/log-pages.ts';
import { refuseUnknown } from '../session-records/session-records.ts';
import type { TranscriptSync } from '../transcripts/transcripts.ts';
import { createForkCopy } from './fork-copy.ts';
import { type ForkMessage, findConversation, findMessageAt, toForkPlan } from './fork-plan.ts';

const maxTitleLength = 200;
const suffix = ' (fork)';

export interface SessionForkDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  onCrashPoint: OnCrashPoint;
  transcripts: TranscriptSync;
  outputs: Outputs;
  findEngine(name: string): Engine;
}

export type ForkSessionOf = (id: string, wanted: ForkSession) => Promise<Session>;

export function createSessionFork(deps: SessionForkDeps): ForkSessionOf {
  const { store, log, clock, newId, transcripts, outputs, findEngine } = deps;

  /** What the fork's engine begins with, beside the entries. */
  async function forkEngine(
    { id, engine }: Session,
    plan: { kept: readonly ForkMessage[]; leftOut: readonly ForkMessage[] },
    at: string,
  ): Promise<Omit<Resume, 'entries'>> {
    const { token, state } = (await store.reads.checkpoint(id)) ?? {};
    const { fork } = findEngine(engine);
    if (!fork)
      return token === undefined ? {} : refuseFork(`The engine ${engine} stores its conversations itself.`);
    const entriesOf = ({ originTurnId }: ForkMessage) => store.reads.entriesOf(originTurnId);
    const leftOut = plan.leftOut.map(async (each) => ({ at: each.sentAt, entries: await entriesOf(each) }));
    const last = plan.kept.at(-1);
    const { content = '' } = (last && (await store.reads.turn(last.originTurnId))) ?? {};
    return fork({
      ...(token !== undefined && { token }),
      ...(state !== undefined && { state }),
      ...(last && { last: { ...last, content, entries: await entriesOf(last) } }),
      leftOut: await Promise.all(leftOut),
      at,
    });
  }

  return async (id, { at: seq, title }) => {
    await transcripts.prepare(id);
    const original = (await store.reads.session(id)) ?? refuseUnknown(id);
    const turns = await findConversation(store.reads, id);
    if (turns.length === 0 && original.lastSeq > 0) refuseFork('It has no messages.');
    const turnIds = new Set(turns.map((turn) => turn.id));
    const until =
      seq === undefined ? turns.at(-1)?.id : await findMessageAt(store.reads, original, { seq, turnIds });
    const plan = toForkPlan(turns, until);
    const now = new Date(clock.now()).toISOString();
    const begin = await forkEngine(original, plan, now);
    const forkId = newId('ses');
    const session = { ...toSession(original, now), id: forkId, rootSessionId: forkId };
    const kept = await outputsOf(store, plan.turns);
    await outputs.share(id, kept, forkId);
    const fork = await log.commit(forkId, async (tx) => {
      if (!(await tx.session(id))) refuseUnknown(id);
      const wanted = { ...session, title: title ?? toForkTitle(original.title) };
      const copied = await copySession(tx, wanted, { id, turns: plan.turns, begin, newId });
      if (title) await tx.index([{ sessionId: forkId, seq: 0, text: title }]);
      return copied;
    });
    deps.onCrashPoint('session.copied');
    // Whoever clears away files of sessions that are not there may have met one that was not there yet.
    await outputs.share(id, kept, forkId);
    return fork;
  };
}

function toSession(
  { lastSeq, parentAgentId, agentId, depth, origin, forkedFrom, ...rest }: Session,
  now: string,
) {
  return { ...rest, status: 'idle' as const, costUsd: 0, createdAt: now, updatedAt: now };
}

interface Original {
  id: string;
  /** The turns that are kept. */
  turns: readonly TurnHead[];
  begin: Omit<Resume, 'entries'>;
  newId: NewId;
}

async function copySession(
  tx: StoreWrites,
  session: Omit<Session, 'lastSeq'>,
  { id, turns, begin, newId }: Original,
): Promise<Session> {
  const names = new Map(turns.map((turn) => [turn.id, newId('trn')]));
  const at = { sessionId: session.id, originTurnId: session.id };
  // Its number in the original is known once the log is copied; it must be there before that.
  await tx.insertSession({ ...session, forkedFrom: { sessionId: id, seq: await findEnd(tx, id, names) } });
  const seqs = await copyLog(tx, { from: id, to: session.id }, names);
  for (const turn of turns) await copyTurn(tx, turn, { sessionId: session.id, names, seqs });
  if (Object.keys(begin).length > 0) await tx.saveCheckpoint(at, begin);
  return (await tx.session(session.id)) ?? refuseUnknown(session.id);
}

/** Where the last of these turns ends. */
async function findEnd(tx: StoreWrites, id: string, names: ReadonlyMap<string, string>): Promise<number> {
  const copy = createForkCopy(names);
  for (let after = 0; copy.endedAt() === undefined; ) {
    const page = await readPage(tx, id, after);
    const last = page.at(-1);
    if (!last) return after;
    copy.take(page.filter(({ type }) => type === 'turn_end'));
    after = last.seq;
  }
  return copy.endedAt() ?? 0;
}

/** Gives the number that each turn's message has in the fork. */
async function copyLog(
  tx: StoreWrites,
  { from, to }: { from: string; to: string },
  names: ReadonlyMap<string, string>,
): Promise<Map<string, number>> {
  const copy = createForkCopy(names);
  const seqs = new Map<string, number>();
  const append = async (copied: ReturnType<typeof copy.take>) => {
    if (copied.length === 0) return;
    for (const event of await tx.append(copied.map((draft) => ({ ...draft, sessionId: to })))) {
      if (event.type === 'user_message' && !seqs.has(event.data.turnId)) {
        seqs.set(event.data.turnId, event.seq);
      }
    }
  };
  for (let after = 0; copy.endedAt() === undefined; ) {
    const page = await readPage(tx, from, after);
    const last = page.at(-1);
    if (!last) break;
    await append(copy.take(page));
    after = last.seq;
  }
  await append(copy.rest());
  return seqs;
}

interface TurnCopy {
  sessionId: string;
  names: ReadonlyMap<string, string>;
  seqs: ReadonlyMap<string, number>;
}

/** A turn with its calls; with the first attempt at a message, what the engine stored for all of them. */
async function copyTurn(
  tx: StoreWrites,
  turn: TurnHead,
  { sessionId, names, seqs }: TurnCopy,
): Promise<void> {
  const renamed = (id: string) => names.get(id) ?? id;
  const { idempotencyKey: _, retryOf, ...rest } = turn;
  const id = renamed(turn.id);
  const originTurnId = renamed(turn.originTurnId);
  const seq = seqs.get(originTurnId) ?? 0;
  const retried = retryOf === undefined ? {} : { retryOf: renamed(retryOf) };
  const { content = '' } = (await tx.turn(turn.id)) ?? {};
  await tx.insertTurn({ ...rest, ...retried, content, id, originTurnId, sessionId, seq, costUsd: 0 });
  for (const call of await tx.toolCalls(turn.id)) await tx.putToolCall({ ...call, turnId: id, sessionId });
  if (turn.id !== turn.originTurnId) return;
  const append = await tx.entriesOf(turn.id);
  if (append.length > 0) await tx.saveCheckpoint({ sessionId, originTurnId }, { append });
}

async function outputsOf({ reads }: Store, turns: readonly TurnHead[]): Promise<string[]> {
  const ids: string[] = [];
  for (const turn of turns) {
    for (const { result } of await reads.toolCalls(turn.id)) if (result?.outputId) ids.push(result.outputId);
  }
  return ids;
}

function toForkTitle(title: string): string {
  if (title === '' || title.endsWith(suffix)) return title;
  return `${title.slice(0, maxTitleLength - suffix.length).toWellFormed()}${suffix}`;
}

function refuseFork(why: string): never {
  throw new ToolyardError('invalid_request', `This session cannot be forked. ${why}`);
}
