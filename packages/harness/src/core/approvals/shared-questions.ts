// Questions about a limit that many may meet: one is asked for all of them, and its answer is everybody's. A yes raises the
// limit in the commit that stores it; whoever has waited only looks again.
import type { AskedLimit, Question, Store, StoreReads, StoreWrites, Turn, TurnHead } from '@toolyard/sdk';
import { type RaisedRun, raiseIn } from '../budget/raise-limit.ts';
import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { resumeSession } from './decisions.ts';

/** Whoever has not ended waits for no more than this. */
const maxPending = 10_000;
/** Of sums of dollars. */
const rounding = 1e-9;

export interface SharedQuestionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  /** Once it is on record: what is open in memory follows. */
  onRaised(raised: RaisedRun): Promise<void>;
}

/** An answer counts for the very limit that it was asked about. */
function isAbout({ limit: asked }: Question, { runId, limit, agentId, max }: AskedLimit): boolean {
  const isSame = asked?.runId === runId && asked.limit === limit && asked.agentId === agentId;
  return isSame && Math.abs(asked.max - max) < rounding;
}

/** The person wants it to go on. */
export function isYes({ state, answer, options }: Question): boolean {
  return state === 'answered' && [answer].flat()[0] === options?.[0]?.label;
}

/** On record: after a restart this turn waits on, too. */
export async function share(tx: StoreWrites, question: Question, turnId: string): Promise<Question> {
  const { sharedBy = [] } = question;
  if (question.turnId === turnId || sharedBy.includes(turnId)) return question;
  const shared = { ...question, sharedBy: [...sharedBy, turnId] };
  await tx.putQuestion(shared);
  return shared;
}

/** In the commit that ends a question: whoever has waited for the same answer goes on. */
export async function resumeSharedTurns(
  tx: StoreWrites,
  { sharedBy = [] }: Question,
  at: string,
): Promise<void> {
  for (const turnId of sharedBy) {
    const sessionId = (await tx.turn(turnId))?.sessionId;
    if (!sessionId) continue;
    await resumeSession(
      tx,
      (...drafts) => tx.append(drafts.map((draft) => ({ ...draft, sessionId, at }))),
      sessionId,
    );
  }
}

export function createSharedQuestions({ store, log, clock, onRaised }: SharedQuestionDeps) {
  /** What turns of before a restart have waited for. It may have its answer before they come to it again. */
  const recovered = new Map<string, Question[]>();
  /** By turn: what it waits for, or has an answer to and has not gone on with. */
  const unacknowledged = new Map<string, Set<string>>();
  /** Limits that are raised on record, and not yet in memory. */
  const raising = new Map<string, Question>();

  function note(turnId: string, { id }: Question): void {
    unacknowledged.set(turnId, (unacknowledged.get(turnId) ?? new Set()).add(id));
  }

  /** Once: what the turn meets later is another matter. */
  function take(turnId: string, limit: AskedLimit): string | undefined {
    const found = recovered.get(turnId)?.find((question) => isAbout(question, limit));
    recovered.set(turnId, recovered.get(turnId)?.filter((question) => question !== found) ?? []);
    if (recovered.get(turnId)?.length === 0) recovered.delete(turnId);
    return found?.id;
  }

  return {
    note,

    /** Inside a commit: what the turn has asked about it before a restart, anybody asks now, or was refused before. */
    async find(tx: StoreReads, turnId: string, limit: AskedLimit): Promise<Question | undefined> {
      const id = take(turnId, limit);
      const known = id === undefined ? undefined : await tx.question(id);
      if (known) return known;
      const pending = await tx.questions({ state: 'pending', limit: maxPending });
      const asked = [...raising.values(), ...pending].find((question) => isAbout(question, limit));
      return asked ?? findRefused(tx, turnId, limit);
    },

    /** Stores the end of a question. Before anybody hears of a yes, its limit is raised: on record, then in memory. */
    async end(
      write: (raise: (tx: StoreWrites, ended: Question) => Promise<void>) => Promise<Question>,
    ): Promise<Question> {
      const raised: RaisedRun[] = [];
      const ids: string[] = [];
      try {
        const ended = await write(async (tx, question) => {
          if (!question.limit || !isYes(question)) return;
          raising.set(question.id, question);
          ids.push(question.id);
          const now = await raiseIn(tx, question.limit, new Date(clock.now()).toISOString());
          if (now) raised.push(now);
        });
        for (const each of raised) await onRaised(each);
        return ended;
      } finally {
        for (const id of ids) raising.delete(id);
      }
    },

    isWaiting: (turnId: string): boolean => unacknowledged.has(turnId),

    /** The turn goes on with what it was answered: from here on a crash cuts off its own work. */
    async acknowledgeAnswers({ turnId, sessionId }: { turnId: string; sessionId: string }): Promise<void> {
      const ids = unacknowledged.get(turnId);
      if (!ids) return;
      const acknowledged = await log.commit(sessionId, (tx) => acknowledge(tx, turnId, ids));
      for (const id of acknowledged) ids.delete(id);
      if (ids.size === 0) unacknowledged.delete(turnId);
    },

    forget(turnId: string): void {
      recovered.delete(turnId);
      unacknowledged.delete(turnId);
    },

    /** After a start. */
    async recover(): Promise<void> {
      const turns = await store.reads.turnsIn(['running']);
      const asked = await findRelatedQuestions(store.reads, turns);
      for (const { id } of turns)
        for (const question of asked.filter((each) => isWaitedForBy(each, id))) {
          recovered.set(id, [...(recovered.get(id) ?? []), question]);
          note(id, question);
        }
    },
  };
}

/** A no counts until its person sends something again: to the root, or to the session that meets the limit. */
async function findRefused(tx: StoreReads, turnId: string, limit: AskedLimit): Promise<Question | undefined> {
  const turn = await tx.turn(turnId);
  if (!turn) return undefined;
  const since = await lastSentAt(tx, turn);
  const isRefused = (question: Question) =>
    isAbout(question, limit) && !isYes(question) && (question.decidedAt ?? '') > since;
  for (const sessionId of await findRunSessions(tx, [turn])) {
    const answered = await tx.questions({ sessionId, state: 'answered', limit: maxPending });
    const refused = answered.find(isRefused);
    if (refused) return refused;
  }
  return undefined;
}

/** Not by an agent: what it drafts goes on with what its person has said. */
async function lastSentAt(tx: StoreReads, { id, sessionId, retryOf, createdAt }: Turn): Promise<string> {
  const { rootSessionId = sessionId } = (await tx.session(sessionId)) ?? {};
  const toRoot = (await tx.latestTurn(rootSessionId))?.createdAt ?? '';
  const isDrafted = !retryOf && (await tx.dispatchOfTurn(id))?.drafted;
  return isDrafted || toRoot > createdAt ? toRoot : createdAt;
}

/** On record. Says which: what is still asked, it has not heard. */
async function acknowledge(tx: StoreWrites, turnId: string, ids: ReadonlySet<string>): Promise<string[]> {
  const acknowledged: string[] = [];
  for (const id of ids) {
    const question = await tx.question(id);
    if (question?.state === 'pending') continue;
    acknowledged.push(id);
    if (question) await tx.putQuestion({ ...question, heardBy: [...(question.heardBy ?? []), turnId] });
  }
  return acknowledged;
}

/** Has it asked this, itself or with others, and not gone on from it? */
function isWaitedForBy({ turnId, sharedBy = [], heardBy = [] }: Question, id: string): boolean {
  return (turnId === id || sharedBy.includes(id)) && !heardBy.includes(id);
}

/** Limits that somebody is asked about, or was in a run of these turns. */
async function findRelatedQuestions(reads: StoreReads, turns: readonly TurnHead[]): Promise<Question[]> {
  const found = new Map<string, Question>();
  const add = async (filter: { state: 'pending' } | { sessionId: string }) => {
    for (const question of await reads.questions({ ...filter, limit: maxPending }))
      if (question.limit) found.set(question.id, question);
  };
  await add({ state: 'pending' });
  for (const sessionId of await findRunSessions(reads, turns)) await add({ sessionId });
  return [...found.values()];
}

/** All that work, or have worked, in a run of these turns. */
async function findRunSessions(reads: StoreReads, turns: readonly TurnHead[]): Promise<Set<string>> {
  const runIds = new Set<string>();
  const ids = new Set<string>();
  for (const { sessionId, originTurnId } of turns) {
    const { agentId, rootSessionId = sessionId } = (await reads.session(sessionId)) ?? {};
    const own = agentId ? await reads.dispatch(agentId) : undefined;
    runIds.add(own?.runId ?? originTurnId);
    ids.add(sessionId).add(rootSessionId);
  }
  for (const runId of runIds)
    for (const row of await reads.dispatches({ runId, limit: maxPending })) ids.add(row.sessionId);
  return ids;
}
