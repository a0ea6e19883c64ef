// One WebSocket, from its opening to its end: requests come in, answers and events go out. A bad frame costs its sender an
// error and nothing else; a bad reader costs itself its subscriptions.
import {
  type Actor,
  ClientFrame,
  largestFrame,
  parseSocketProtocols,
  Ref,
  routes,
  type ServerFrame,
  ToolyardError,
  toFailure,
} from '@toolyard/sdk';
import type { WebSocket } from 'ws';
import { type Principal, toActor } from '../../core/identity/principals.ts';
import { parseJson } from '../server/body.ts';
import type { HttpDeps } from '../server/deps.ts';
import { type HttpRouter, parse, surfaceOf, toBindings } from '../server/mount.ts';
import { wasDismissed } from '../server/readers.ts';
import { requireCursor } from './events.ts';
import { createSocketWriter } from './socket-writer.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

/** Codes of RFC 6455. */
const goingAway = 1001;
const policyViolation = 1008;
/** How long an end waits for the other side's. */
const closeTimeoutMs = 1_000;

/** Tells the server below that the answer is on the wire already. */
const answered = { 'x-hono-already-sent': 'true' };

/** The WebSocket's route: whoever the guards let in gets one, as long as there are not too many. */
export function mountSocket(app: HttpRouter, deps: HttpDeps): void {
  let open = 0;

  app.get(routes.openSocket.path, (c) => {
    const { upgrade } = toBindings(c);
    if (!upgrade) throw upgradeRequired();
    if (open >= deps.readerLimits.sockets) throw tooManySockets(open);
    c.get('recheck')?.();
    const principal = c.get('principal');
    const { via } = parseSocketProtocols(c.req.header('sec-websocket-protocol') ?? '');
    const actor = toActor(principal, surfaceOf(c.req.header('x-toolyard-via') ?? via));
    upgrade((socket) => {
      open++;
      socket.once('close', () => open--);
      serveSocket(deps, socket, { principal, actor });
    });
    return new Response(null, { headers: answered });
  });
}

function upgradeRequired(): ToolyardError {
  const hint = 'Connect with a WebSocket client.';
  return new ToolyardError('upgrade_required', `This is a WebSocket address. ${hint}`);
}

function tooManySockets(open: number): ToolyardError {
  return new ToolyardError(
    'too_many_readers',
    `The limit of ${open} open sockets is reached. Close one and try again.`,
  );
}

type ReplyFrame = Exclude<ServerFrame, { type: 'event' }>;

function serveSocket(
  deps: HttpDeps,
  socket: WebSocket,
  { principal, actor }: { principal: Principal; actor: Actor },
): void {
  const { readers, readerLimits: limits } = deps;
  const { log, logger, principals } = deps.core;
  const stop = readers.open(principal);
  const queues = new Map<string, Promise<void>>();
  /** What was asked after a subscription is dealt with after it has begun, so that its events are seen. */
  let subscribed = Promise.resolve();
  let asked = 0;

  const writer = createSocketWriter(socket, {
    limits,
    onStalled: () => subscriptions.drop(),
    onReady: resumeReading,
  });
  const send = (frame: ReplyFrame) => writer.send(JSON.stringify(frame));
  const subscriptions = createSubscriptions({ log, writer, logger, send });

  /** Reads no further while there is too much to answer, or answers that nobody takes. */
  function resumeReading(): void {
    if (asked >= limits.requests || writer.isFull()) socket.pause();
    else socket.resume();
  }

  async function answer(frame: ClientFrame): Promise<void> {
    const { ref } = frame;
    try {
      principals.recheck(principal);
      const acknowledge = (ack: object) => send({ type: 'ack', ref, ...ack });
      await answerFrame(deps, frame, { actor, subscriptions, acknowledge });
    } catch (thrown) {
      refuse(thrown, ref);
    } finally {
      asked--;
      resumeReading();
    }
  }

  function refuse(thrown: unknown, ref: Ref | undefined): void {
    if (!(thrown instanceof ToolyardError)) logger.error('a request over a socket failed', { cause: thrown });
    send({ type: 'error', ref, error: toFailure(thrown) });
  }

  function receive(frame: ClientFrame): void {
    asked++;
    const name = toQueueName(frame);
    const turn = Promise.all([queues.get(name), subscribed]).then(() => answer(frame));
    queues.set(name, turn);
    if (frame.type === 'subscribe') subscribed = turn;
    void turn.then(() => {
      if (queues.get(name) === turn) queues.delete(name);
    });
  }

  socket.on('message', (data, isBinary) => {
    // One Buffer, because `binaryType` is left as it is.
    const received = readFrame(data as Buffer, isBinary);
    if (received.frame) receive(received.frame);
    else refuse(received.error, received.ref);
    resumeReading();
  });
  // What breaks the protocol is answered by the library, which then closes.
  socket.on('error', () => {});
  socket.once('close', () => {
    subscriptions.closeAll();
    writer.close();
    stop.abort('left');
  });
  const end = () => void endSocket(socket, stop.signal, subscriptions.idle);
  if (stop.signal.aborted) end();
  else stop.signal.addEventListener('abort', end, { once: true });
}

/** A server that stops lets its readers see the end; who may read no more sees nothing further. */
async function endSocket(socket: WebSocket, signal: AbortSignal, idle: () => Promise<void>): Promise<void> {
  const isDismissed = wasDismissed(signal);
  if (!isDismissed) await idle();
  if (isDismissed) socket.close(policyViolation, 'the token is no longer valid');
  else socket.close(goingAway, 'the server stops');
  setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
}

/** What an `ack` says beside whose request it answers. */
type Ack = Omit<Extract<ServerFrame, { type: 'ack' }>, 'type' | 'ref'>;

interface Answering {
  actor: Actor;
  subscriptions: Subscriptions;
  /** Told before whatever the request sets in motion is. */
  acknowledge(ack: Ack): void;
}

async function answerFrame(deps: HttpDeps, frame: ClientFrame, answering: Answering): Promise<void> {
  const { actor, acknowledge, subscriptions } = answering;
  const { core } = deps;
  switch (frame.type) {
    case 'subscribe':
      return subscribe(deps, frame, answering);
    case 'unsubscribe':
      subscriptions.close(frame.sessionId);
      return acknowledge(toSessionField(frame.sessionId));
    case 'message':
      return acknowledge(await core.turns.accept(frame.sessionId, frame.content, frame.idempotencyKey));
    case 'approval': {
      const { approvalId, decision, scope, reason } = frame;
      const answer = { decision, scope, reason };
      return acknowledge({ approval: await core.approvals.answer(approvalId, answer, actor) });
    }
    case 'question':
      return acknowledge({ question: await core.questions.answer(frame.questionId, frame.answer, actor) });
    case 'interrupt':
      return acknowledge(await core.turns.interrupt(frame.sessionId, frame.turnId));
  }
}

/** Requests of the same name are dealt with one after another, in their order. */
function toQueueName(frame: ClientFrame): string {
  if (frame.type === 'approval') return frame.approvalId;
  if (frame.type === 'question') return frame.questionId;
  return frame.sessionId ?? 'all';
}

async function subscribe(
  { core: { sessions, store }, readerLimits: { subscriptions: max } }: HttpDeps,
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
  if (subscriptions.count() >= max && !subscriptions.has(sessionId)) throw tooMany(max);
  subscriptions.open({ sessionId, after: from, batch, ref });
  acknowledge({ ...toSessionField(sessionId), after: from });
}

function toSessionField(sessionId: string | undefined): Pick<Ack, 'sessionId'> {
  return sessionId === undefined ? {} : { sessionId };
}

function tooMany(max: number): ToolyardError {
  const hint = 'End one, or subscribe to all sessions at once.';
  return new ToolyardError(
    'too_many_readers',
    `This socket has reached its limit of ${max} subscriptions. ${hint}`,
  );
}

/** A frame, or what is wrong with it; with the client's name for it wherever that can be told. */
type Received = { frame: ClientFrame; error?: undefined } | { frame?: undefined; error: unknown; ref?: Ref };

/** Reads what a client sends over its socket. Whatever it sends, the answer is an error at worst. */
function readFrame(data: Buffer, isBinary: boolean): Received {
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
  return new ToolyardError(
    'payload_too_large',
    `The frame is too large: the limit is ${largestFrame / 1024 / 1024} MB. ${hint}`,
  );
}
