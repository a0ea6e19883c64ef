// Writes sessions in which people and agents have talked: words as often as languages have them, few of them everywhere
// and most of them rarely. Always the same ones.
import type { LogDraft } from '@toolyard/sdk';
import { createIds } from '../packages/harness/src/core/lib/ids.ts';
import { newSession, openHomeStore } from './fill-home.ts';

const at = '2026-01-01T00:00:00.000Z';
const vocabulary = 20_000;
const wordsPerMessage = 40;
const sessionsPerCommit = 20;

export interface Talk {
  sessions: number;
  /** Each a message and its answer. */
  turns: number;
}

/** The so-many-th word, the first being the most frequent. */
export function wordAt(rank: number): string {
  return `w${rank.toString(36)}ord`;
}

export async function fillMessages(home: string, { sessions, turns }: Talk): Promise<void> {
  const store = await openHomeStore(home);
  const newId = createIds({ now: () => Date.now() });
  const random = createRandom();
  const createText = () =>
    Array.from({ length: wordsPerMessage }, () => wordAt(Math.floor(random() ** 4 * vocabulary))).join(' ');
  for (let made = 0; made < sessions; made += sessionsPerCommit) {
    await store.commit(async (tx) => {
      for (let each = 0; each < sessionsPerCommit; each++) {
        const session = newSession();
        await tx.insertSession(session);
        const talk = Array.from({ length: turns }, () => toTurn(session.id, newId('trn'), createText));
        await tx.append(talk.flat());
      }
    });
  }
  await store.close();
}

function toTurn(sessionId: string, turnId: string, createText: () => string): LogDraft[] {
  const end = { turnId, outcome: 'completed', costUsd: 0 } as const;
  return [
    { sessionId, at, type: 'user_message', data: { content: createText(), turnId } },
    { sessionId, at, type: 'turn_start', data: { turnId } },
    { sessionId, at, type: 'text_delta', data: { text: createText() } },
    { sessionId, at, type: 'turn_end', data: end },
  ];
}

function createRandom(): () => number {
  let seed = 42;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
}
