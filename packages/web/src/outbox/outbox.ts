// Messages on their way to a session, one after the other. Each has a key of its own and is kept until the server has
// taken it: a broken line, a server that restarts or a reload neither loses nor doubles one, nor changes their order.
import { type Content, createUuid, isBrokenLine, ToolyardError } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';
import { socket } from '../connection/client.ts';
import { noticeError } from '../connection/connection-state.ts';
import { isUnsent, keepBox, listBoxes, type Outgoing, readBox } from './outbox-storage.ts';

export type { Outgoing } from './outbox-storage.ts';

const boxes = new Map<string, readonly Outgoing[]>();
/** The sessions whose messages are being delivered. */
const delivering = new Set<string>();
/** Messages that the line was given, by their keys: whether one of them has arrived, only the server knows. */
const given = new Set<string>();
const listeners = new Set<() => void>();
const none: readonly Outgoing[] = [];

type RefusalListener = (sessionId: string, error: unknown) => void;
const refusalListeners = new Set<RefusalListener>();

function change(sessionId: string, box: readonly Outgoing[]): void {
  const before = boxes.get(sessionId) ?? readBox(sessionId);
  boxes.set(sessionId, box);
  keepBox(sessionId, before, box);
  for (const listener of listeners) listener();
}

function replace(sessionId: string, changed: Outgoing): void {
  const box = boxes.get(sessionId) ?? none;
  change(
    sessionId,
    box.map((each) => (each.key === changed.key ? changed : each)),
  );
}

function findNext(sessionId: string): Outgoing | undefined {
  return boxes.get(sessionId)?.find((each) => isUnsent(each) && each.error === undefined);
}

async function deliverAll(sessionId: string): Promise<void> {
  if (delivering.has(sessionId)) return;
  delivering.add(sessionId);
  let attempt = 0;
  for (let next = findNext(sessionId); next; next = findNext(sessionId)) {
    if (isDisconnected()) {
      // Until there is a line, its person may take it back.
      await waitForConnection();
      continue;
    }
    const isAway = await deliver(sessionId, next);
    attempt = isAway ? attempt + 1 : 0;
    if (isAway) await waitForServer(attempt);
  }
  delivering.delete(sessionId);
}

/** `true` when nobody was there to take it. */
async function deliver(sessionId: string, { key, content }: Outgoing): Promise<boolean> {
  given.add(key);
  try {
    const { seq } = await socket.send(sessionId, content, { idempotencyKey: key });
    replace(sessionId, { key, content, seq });
  } catch (error) {
    noticeError(error);
    if (isBrokenLine(error) || isLoggedOut(error)) return true;
    replace(sessionId, { key, content, error });
    for (const listener of refusalListeners) listener(sessionId, error);
  }
  given.delete(key);
  return false;
}

/** Then it waits for the next login. */
function isLoggedOut(error: unknown): boolean {
  return error instanceof ToolyardError && error.code === 'unauthorized';
}

/** Calls `listener` for each message that the server will not take. Returns how to stop that. */
export function onRefused(listener: RefusalListener): () => void {
  refusalListeners.add(listener);
  return () => void refusalListeners.delete(listener);
}

/** One that was closed for good refuses by itself, with its reason. */
function isDisconnected(): boolean {
  return socket.state !== 'open' && socket.state !== 'closed';
}

function waitForConnection(): Promise<void> {
  return new Promise((resolve) => {
    let stop = () => {};
    stop = socket.onState(() => {
      if (isDisconnected()) return;
      stop();
      resolve();
    });
  });
}

/** The line tells when the server is back; where only this message's way is broken, time does. */
function waitForServer(attempt: number): Promise<void> {
  return new Promise((resolve) => {
    let wasOpen = socket.state === 'open';
    const timer = setTimeout(done, Math.min(500 * 2 ** attempt, 15_000));
    const stop = socket.onState((state) => {
      if (state === 'open' && !wasOpen) done();
      wasOpen = state === 'open';
    });
    function done(): void {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
}

export function sendMessage(sessionId: string, content: Content): void {
  // What the transcript shows by now needs no place here.
  const open = (boxes.get(sessionId) ?? none).filter(isUnsent);
  change(sessionId, [...open, { key: createUuid(), content }]);
  void deliverAll(sessionId);
}

export function sendAgain(sessionId: string, { key, content }: Outgoing): void {
  replace(sessionId, { key, content });
  void deliverAll(sessionId);
}

/** Certainly not with the server: then taking it back means that it is never sent. */
export function canCancel({ key }: Outgoing): boolean {
  return isDisconnected() && !given.has(key);
}

export function cancelMessage(sessionId: string, { key }: Outgoing): void {
  change(
    sessionId,
    (boxes.get(sessionId) ?? none).filter((each) => each.key !== key),
  );
}

/** What has not been taken yet, without sending it. */
export function readOutbox(sessionId: string): readonly Outgoing[] {
  return (boxes.get(sessionId) ?? readBox(sessionId)).filter(isUnsent);
}

export function cancelAllMessages(sessionId: string): void {
  change(sessionId, none);
}

/** What an earlier life of this page had not delivered goes out now, under the keys it had. */
function open(sessionId: string): readonly Outgoing[] {
  const box = readBox(sessionId);
  boxes.set(sessionId, box);
  // What that life had given to the line may have arrived.
  for (const { key } of box) given.add(key);
  void deliverAll(sessionId);
  return box;
}

export const listOutboxes = (): readonly string[] => [...boxes.keys(), ...listBoxes()];

/** The same for all sessions, whichever is on the page. */
export function openOutboxes(): void {
  for (const sessionId of listBoxes()) if (!boxes.has(sessionId)) open(sessionId);
}

export function useOutbox(sessionId: string): readonly Outgoing[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => boxes.get(sessionId) ?? open(sessionId),
  );
}
