// What waits for the person at this terminal, whatever it is: put to them one at a time, the oldest first.
import type { Keyboard } from '../terminal/keyboard.ts';

/** Puts one thing to the person. What it does not remove from the queue is put to them again. */
export type AskPerson = (person: Keyboard, ended: AbortSignal) => Promise<void>;

export interface PromptQueue {
  /** Says no when nobody is there to be asked. */
  add(id: string, askPerson: AskPerson): boolean;
  /** It has ended: whoever is being asked about it need not answer any more. */
  remove(id: string): void;
  /** Nobody is asked any more. */
  close(): void;
}

export function createPromptQueue(keyboard: Keyboard | undefined): PromptQueue {
  const waiting = new Map<string, { askPerson: AskPerson; ended: AbortController }>();
  let isAsking = false;

  async function work(person: Keyboard): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      for (let [next] = waiting.values(); next; [next] = waiting.values()) {
        await next.askPerson(person, next.ended.signal);
      }
    } finally {
      isAsking = false;
    }
  }

  return {
    add(id, askPerson) {
      if (!keyboard) return false;
      waiting.set(id, { askPerson, ended: new AbortController() });
      void work(keyboard);
      return true;
    },
    remove(id) {
      waiting.get(id)?.ended.abort();
      waiting.delete(id);
    },
    close() {
      for (const { ended } of waiting.values()) ended.abort();
      waiting.clear();
    },
  };
}
