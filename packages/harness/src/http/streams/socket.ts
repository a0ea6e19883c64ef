// One WebSocket, from its opening to its end: requests come in, answers and events go out. A bad frame costs its sender an
// error and nothing else; a bad reader costs itself its subscriptions.
import {
  type Actor,
  type ClientFrame,
  parseSocketProtocols,
  type Ref,
  routes,
  type ServerFrame,
  ToolyardError,
  toFailure,
} from '@toolyard/sdk';
import type { WebSocket } from 'ws';
import { type Principal, toActor } from '../../core/identity/principals.ts';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, surfaceOf, toBindings } from '../door/mount.ts';
import { wasDismissed } from '../door/readers.ts';
import { createLine } from './socket-line.ts';
import { answerFrame, readFrame, toQueueName } from './socket-requests.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Codes of RFC 6455. */
const goingAway = 1001;
const policyViolation = 1008;
/** How long an end waits for the other side's. */
const closeWithinMs = 1_000;

/** Tells the server below that the answer is on the wire already. */
const answered = { 'x-hono-already-sent': 'true' };

/** The WebSocket's door: whoever the guards let in gets one, as long as there are not too many. */
export function mountSocket(app: Door, deps: HttpDeps): void {
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
  const hint = 'Ask for an upgrade with a WebSocket client.';
  return new ToolyardError('upgrade_required', `This is the address of a WebSocket. ${hint}`);
}

function tooManySockets(open: number): ToolyardError {
  return new ToolyardError('too_many_readers', `${open} sockets are open. Close one and try again.`);
}

type Told = Exclude<ServerFrame, { type: 'event' }>;

function serveSocket(
  deps: HttpDeps,
  socket: WebSocket,
  { principal, actor }: { principal: Principal; actor: Actor },
): void {
  const { log, logger, readers, principals, readerLimits: limits } = deps;
  const stop = readers.open(principal);
  const queues = new Map<string, Promise<void>>();
  /** What was asked after a subscription is dealt with after it has begun, so that its events are seen. */
  let subscribed = Promise.resolve();
  let asked = 0;

  const line = createLine(socket, { limits, onStalled: () => subscriptions.drop(), onReady: hearOn });
  const send = (frame: Told) => line.send(JSON.stringify(frame));
  const subscriptions = createSubscriptions({ log, line, logger, send });

  /** Reads no further while there is too much to answer, or answers that nobody takes. */
  function hearOn(): void {
    if (asked >= limits.requests || line.isFull()) socket.pause();
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
      hearOn();
    }
  }

  function refuse(thrown: unknown, ref: Ref | undefined): void {
    if (!(thrown instanceof ToolyardError)) logger.error('a request over a socket broke', { cause: thrown });
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
    hearOn();
  });
  // What breaks the protocol is answered by the library, which then closes.
  socket.on('error', () => {});
  socket.once('close', () => {
    subscriptions.closeAll();
    line.close();
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
  setTimeout(() => socket.terminate(), closeWithinMs).unref();
}
