// What a client may ask over its socket, and what it is told: the same calls as over HTTP, by the same person.
import { type Actor, ClientFrame, largestFrame, Ref, type ServerFrame, ToolyardError } from '@toolyard/sdk';
import { parseJson } from '../door/body.ts';
import type { HttpDeps } from '../door/deps.ts';
import { parse } from '../door/mount.ts';
import { requireCursor } from './events.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What an `ack` says beside whose request it answers. */
export type Ack = Omit<Extract<ServerFrame, { type: 'ack' }>, 'type' | 'ref'>;

export interface Answering {
  actor: Actor;
  subscriptions: Subscriptions;
  /** Told before whatever the request sets in motion is. */
  acknowledge(ack: Ack): void;
}

export async function answerFrame(deps: HttpDeps, frame: ClientFrame, answering: Answering): Promise<void> {
  const { actor, acknowledge, subscriptions } = answering;
  switch (frame.type) {
    case 'subscribe':
      return subscribe(deps, frame, answering);
    case 'unsubscribe':
      subscriptions.close(frame.sessionId);
      return acknowledge(toWhose(frame.sessionId));
    case 'message':
      return acknowledge(await deps.turns.accept(frame.sessionId, frame.content, frame.idempotencyKey));
    case 'approval': {
      const { approvalId, decision, scope, reason } = frame;
      const answer = { decision, scope, reason };
      return acknowledge({ approval: await deps.approvals.answer(approvalId, answer, actor) });
    }
    case 'question':
      return acknowledge({ question: await deps.questions.answer(frame.questionId, frame.answer, actor) });
    case 'interrupt':
      return acknowledge(await deps.turns.interrupt(frame.sessionId, frame.turnId));
  }
}

/** Requests of the same name are dealt with one after another, in their order. */
export function toQueueName(frame: ClientFrame): string {
  if (frame.type === 'approval') return frame.approvalId;
  if (frame.type === 'question') return frame.questionId;
  return frame.sessionId ?? 'all';
}

async function subscribe(
  { sessions, store, readerLimits: { subscriptions: most } }: HttpDeps,
  { sessionId, after, batch, ref }: Extract<ClientFrame, { type: 'subscribe' }>,
  { subscriptions, acknowledge }: Answering,
): Promise<void> {
  const cursors =
    sessionId === undefined
      ? ({ what: 'position', last: await store.reads.lastPosition() } as const)
      : ({ what: 'event', last: (await sessions.open(sessionId)).lastSeq } as const);
  const start = sessionId === undefined ? cursors.last : 0;
  const from = after === undefined ? start : requireCursor(after, cursors);
  // Asked here and not before: others may have been opened meanwhile.
  if (subscriptions.count() >= most && !subscriptions.has(sessionId)) throw tooMany(most);
  subscriptions.open({ sessionId, after: from, batch, ref });
  acknowledge({ ...toWhose(sessionId), after: from });
}

function toWhose(sessionId: string | undefined): Pick<Ack, 'sessionId'> {
  return sessionId === undefined ? {} : { sessionId };
}

function tooMany(most: number): ToolyardError {
  const hint = 'End one, or subscribe to all sessions at once.';
  return new ToolyardError('too_many_readers', `A socket may have ${most} subscriptions. ${hint}`);
}

/** A frame, or what is wrong with it; with the client's name for it wherever that can be told. */
type Received = { frame: ClientFrame; error?: undefined } | { frame?: undefined; error: unknown; ref?: Ref };

/** Reads what a client sends over its socket. Whatever it sends, the answer is an error at worst. */
export function readFrame(data: Buffer, isBinary: boolean): Received {
  if (isBinary) return { error: new ToolyardError('invalid_json', 'A frame is JSON as text, not binary.') };
  if (data.length > largestFrame) return { error: tooLarge(), ...peekRef(data) };
  let value: unknown;
  try {
    value = parseJson(data.toString(), 'frame');
  } catch (error) {
    return { error, ...peekRef(data) };
  }
  try {
    return { frame: parse(ClientFrame, value, 'frame') };
  } catch (error) {
    return { error, ...refOf(value) };
  }
}

const ref = '"ref"\\s*:\\s*("[^"\\\\]{0,100}"|-?\\d{1,15})\\s*';
const refAtStart = new RegExp(`^\\s*\\{\\s*(?:"type"\\s*:\\s*"\\w*"\\s*,\\s*)?${ref}[,}]`);
const refAtEnd = new RegExp(`,\\s*${ref}\\}\\s*$`);

/** In a frame that is not read whole it is found at the beginning, right behind `type`, or at the end. */
function peekRef(data: Buffer): { ref?: Ref } {
  const [start, end] = [data.toString('utf8', 0, 400), data.subarray(-400).toString()];
  const found = refAtStart.exec(start) ?? refAtEnd.exec(end);
  return found?.[1] === undefined ? {} : { ref: JSON.parse(found[1]) };
}

function refOf(value: unknown): { ref?: Ref } {
  if (typeof value !== 'object' || value === null || !('ref' in value)) return {};
  const { data: ref } = Ref.safeParse(value.ref);
  return ref === undefined ? {} : { ref };
}

function tooLarge(): ToolyardError {
  const hint = 'Send a larger message to POST /api/sessions/:id/messages.';
  return new ToolyardError('payload_too_large', `A frame may hold ${largestFrame / 1024 / 1024} MB. ${hint}`);
}
