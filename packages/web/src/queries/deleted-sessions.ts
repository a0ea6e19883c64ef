// Tells whoever wants to know that a session was deleted, here or elsewhere.

const listeners = new Set<(sessionId: string) => void>();

export function notifyDeleted(sessionId: string): void {
  for (const listener of listeners) listener(sessionId);
}

/** Returns how to stop hearing. */
export function onDeleted(listener: (sessionId: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
