// Queue of prompts for the person at this terminal: asked one at a time, oldest first.
import type { Keyboard } from '../terminal/keyboard.ts';

/** Asks the person once. If the entry stays in the queue, it is asked again. */
export type AskPerson = (person: Keyboard, ended: AbortSignal) => Promise<void>;

export interface PromptQueue {
  /** Returns false when there is no person to ask. */
  add(id: string, askPerson: AskPerson): boolean;
  /** Removes an entry that has ended, and cancels its prompt. */
  remove(id: string): void;
  /** Cancels all prompts. */
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
