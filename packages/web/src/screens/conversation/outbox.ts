// Messages on their way to a session. Each has a key of its own and is kept in this tab's storage until the server has
// taken it: a broken line, a server that restarts or a reload neither loses nor doubles one.
import type { Content } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';
import { socket } from '../../server/client.ts';
import { readStored, store } from './stored.ts';

export interface Outgoing {
  key: string;
  content: Content;
  /** Its number in the log, once it is taken. */
  seq?: number | undefined;
  error?: unknown;
}

const boxes = new Map<string, readonly Outgoing[]>();
const listeners = new Set<() => void>();
const none: readonly Outgoing[] = [];

const toName = (sessionId: string) => `toolyard.outbox.${sessionId}`;

function change(sessionId: string, box: readonly Outgoing[]): void {
  boxes.set(sessionId, box);
  const unsent = box.filter(({ seq }) => seq === undefined).map(({ key, content }) => ({ key, content }));
  store(toName(sessionId), unsent.length > 0 ? unsent : undefined);
  for (const listener of listeners) listener();
}

function replace(sessionId: string, changed: Outgoing): void {
  const box = boxes.get(sessionId) ?? none;
  change(
    sessionId,
    box.map((each) => (each.key === changed.key ? changed : each)),
  );
}

async function deliver(sessionId: string, { key, content }: Outgoing): Promise<void> {
  try {
    const { seq } = await socket.send(sessionId, content, { idempotencyKey: key });
    replace(sessionId, { key, content, seq });
  } catch (error) {
    replace(sessionId, { key, content, error });
  }
}

export function sendMessage(sessionId: string, content: Content): void {
  const outgoing = { key: crypto.randomUUID(), content };
  // What the transcript shows by now needs no place here.
  const open = (boxes.get(sessionId) ?? none).filter(({ seq }) => seq === undefined);
  change(sessionId, [...open, outgoing]);
  void deliver(sessionId, outgoing);
}

export function sendAgain(sessionId: string, { key, content }: Outgoing): void {
  replace(sessionId, { key, content });
  void deliver(sessionId, { key, content });
}

export function takeBack(sessionId: string, { key }: Outgoing): void {
  change(
    sessionId,
    (boxes.get(sessionId) ?? none).filter((each) => each.key !== key),
  );
}

/** What an earlier life of this page had not delivered goes out now, under the keys it had. */
function open(sessionId: string): readonly Outgoing[] {
  const stored = readStored(toName(sessionId));
  const box = Array.isArray(stored) ? stored.filter(isOutgoing) : none;
  boxes.set(sessionId, box);
  for (const outgoing of box) void deliver(sessionId, outgoing);
  return box;
}

function isOutgoing(value: unknown): value is Outgoing {
  return typeof value === 'object' && value !== null && 'key' in value && 'content' in value;
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
