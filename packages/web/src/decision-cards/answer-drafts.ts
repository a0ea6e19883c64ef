// What somebody is writing in answer to an agent, kept outside of its form and in this tab: a form goes away when it is
// scrolled out of view, when somebody else has answered, or with a reload, and what was typed must not go with it.
import { useCallback, useSyncExternalStore } from 'react';
import { readStored, store } from '../storage/tab-storage.ts';

export interface AnswerDraft {
  /** Of the approval or question. */
  id: string;
  sessionId: string;
  /** The session that a person opened, under which an agent asks. */
  rootSessionId: string;
  words: string;
}

/** What the words are for. */
export interface AnswerDraftFor {
  id: string;
  sessionId: string;
  lineage: { rootSessionId: string };
}

const storedName = 'toolyard.typed';
const listeners = new Set<() => void>();
let all: readonly AnswerDraft[] = readAnswerDrafts();

function readAnswerDrafts(): readonly AnswerDraft[] {
  const stored = readStored(storedName);
  return Array.isArray(stored) ? stored.filter(isAnswerDraft) : [];
}

function isAnswerDraft(value: unknown): value is AnswerDraft {
  const { id, sessionId, rootSessionId, words } = Object(value);
  return [id, sessionId, rootSessionId, words].every((each) => typeof each === 'string');
}

function change(next: readonly AnswerDraft[]): void {
  all = next;
  store(storedName, next.length > 0 ? next : undefined);
  for (const listener of listeners) listener();
}

export function saveAnswerDraft(typed: AnswerDraft): void {
  const others = all.filter(({ id }) => id !== typed.id);
  change(typed.words === '' ? others : [...others, typed]);
}

/** It was sent, or nobody wants it any more. */
export function removeAnswerDraft(id: string): void {
  if (all.some((each) => each.id === id)) change(all.filter((each) => each.id !== id));
}

/** Asked in this session, or by an agent under it. */
export function isAnswerDraftIn({ sessionId, rootSessionId }: AnswerDraft, openId: string): boolean {
  return sessionId === openId || rootSessionId === openId;
}

export function hasAnswerDraft(openId: string): boolean {
  return all.some((each) => isAnswerDraftIn(each, openId));
}

/** The sessions, as a person opened them, in which something is being answered. */
export const listAnswerDrafts = (): readonly string[] => all.map(({ rootSessionId }) => rootSessionId);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useAnswerDrafts(): readonly AnswerDraft[] {
  return useSyncExternalStore(subscribe, () => all);
}

/** As a field's value and what changes it. */
export function useAnswerDraft({ id, sessionId, lineage: { rootSessionId } }: AnswerDraftFor) {
  const words = useAnswerDrafts().find((each) => each.id === id)?.words ?? '';
  const write = useCallback(
    (next: string) => saveAnswerDraft({ id, sessionId, rootSessionId, words: next }),
    [id, sessionId, rootSessionId],
  );
  return [words, write] as const;
}
