// One key to what waits for a person: to the next card that is open, wherever it is, and from the last one, or by Escape,
// back to where they were writing. A card takes the focus, never one of its answers.
import { useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { isTyping } from '../controls/list-keys.ts';
import { useToast } from '../controls/toast.tsx';
import { cardAround, findCard, showCard, toCardId } from '../decision-cards/keep-focus.ts';
import { clearRequestedCard, requestCard } from '../decision-cards/requested-card.ts';
import { usePending } from '../queries/pending.ts';
import { findNext, type PendingItem, toPendingItems } from './next-pending.ts';

interface Walk {
  /** Where it began. */
  from: { href: string; element: HTMLElement | null };
  /** Cards that were gone to. */
  met: Set<string>;
  /** Where it has led to. */
  path: string;
}

export function useNextPending(): void {
  const walk = useRef<Walk>(undefined);
  const asking = usePendingRef();
  const goTo = useGoTo();
  const goBack = useGoBack(walk);
  const toast = useToast();
  useEffect(() => {
    const step = () => {
      const before = isWalking(walk.current) ? walk.current : undefined;
      const now = before ?? begin();
      const { all, openId } = asking.current;
      const here = toCardId(cardAround(document.activeElement));
      if (here) now.met.add(here);
      const next = findNext(all, now.met, openId);
      if (next) {
        now.met.add(next.id);
        walk.current = { ...now, path: goTo(next, openId) };
      } else if (before) goBack();
      else if (!focusDraft()) toast({ title: 'Nothing waits for you' });
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const isStep = isNextKey(event);
      if (!isStep && !(event.key === 'Escape' && isAtCard(event, walk.current))) return;
      // The browser would show its downloads, and the conversation would be stopped.
      event.preventDefault();
      if (event.repeat || isCovered()) return;
      if (isStep) step();
      else goBack();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [asking, goTo, goBack, toast]);
}

/** All that waits, as it is when a key is pressed. */
function usePendingRef() {
  const { approvals, questions } = usePending();
  const { sessionId: openId } = useParams({ strict: false });
  const asking = useRef<{ all: readonly PendingItem[]; openId: string | undefined }>({ all: [], openId });
  asking.current = { all: toPendingItems(approvals, questions), openId };
  return asking;
}

/** Returns the address at which it is shown. */
function useGoTo() {
  const navigate = useNavigate();
  return useRef(({ id, sessionId, rootSessionId }: PendingItem, openId: string | undefined): string => {
    const card = findCard(id);
    if (card) showCard(card);
    if (card) return location.pathname;
    requestCard(id);
    if (openId === sessionId || openId === rootSessionId) return location.pathname;
    void navigate({ to: '/sessions/$sessionId', params: { sessionId: rootSessionId } });
    return `/sessions/${rootSessionId}`;
  }).current;
}

function useGoBack(walk: RefObject<Walk | undefined>) {
  const { history } = useRouter();
  return useRef(() => {
    const from = walk.current?.from;
    walk.current = undefined;
    clearRequestedCard();
    // A screen that is opened gives its draft the focus by itself.
    if (from?.element?.isConnected) from.element.focus();
    else if (from && from.href !== toHere()) history.push(from.href);
    else focusDraft();
  }).current;
}

function begin(): Walk {
  const focused = document.activeElement;
  const isPlace = focused instanceof HTMLElement && focused !== document.body && !cardAround(focused);
  return {
    from: { href: toHere(), element: isPlace ? focused : null },
    met: new Set(),
    path: location.pathname,
  };
}

/** `false` when there is none, or it has the focus already. */
function focusDraft(): boolean {
  const draft = document.querySelector<HTMLElement>('[data-draft]');
  if (!draft || draft === document.activeElement) return false;
  draft.focus();
  return true;
}

/** Whoever writes elsewhere, or has gone elsewhere by themselves, begins anew. */
function isWalking(walk: Walk | undefined): boolean {
  const focused = document.activeElement;
  return walk?.path === location.pathname && !(isTyping(focused) && !cardAround(focused));
}

function isAtCard({ target }: KeyboardEvent, walk: Walk | undefined): boolean {
  return walk !== undefined && target instanceof Element && !isTyping(target) && cardAround(target) !== null;
}

function isNextKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'j';
}

function isCovered(): boolean {
  return document.querySelector('[role=dialog],[role=alertdialog],[role=menu],[role=listbox]') !== null;
}

function toHere(): string {
  return `${location.pathname}${location.search}`;
}
