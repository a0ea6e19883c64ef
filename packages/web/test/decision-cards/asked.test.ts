// In which order what is asked is shown, and gone to. Pure.
import { expect, test } from 'vitest';
import { compareAsked } from '../../src/decision-cards/asked.ts';
import { findNext, type PendingItem } from '../../src/shell/next-pending.ts';

const at = '2026-11-15T12:00:00.000Z';
const later = '2026-11-15T12:00:00.001Z';

test('what was asked in the same moment is in the order in which it was asked, calls and questions alike', () => {
  const asked = [
    { id: 'apr_01kb0000030002', at },
    { id: 'apr_01kb0000020004', at },
    { id: 'apr_01kb0000000000', at: later },
    { id: 'qst_01kb0000010003', at },
    { id: 'apr_01kb0000000009', at },
  ];
  expect(asked.toSorted(compareAsked).map(({ id }) => id)).toEqual([
    'apr_01kb0000000009',
    'qst_01kb0000010003',
    'apr_01kb0000020004',
    'apr_01kb0000030002',
    'apr_01kb0000000000',
  ]);
});

test('the next is one of the open conversation or of those under it, then the oldest, and each comes once', () => {
  const asking = (id: string, sessionId: string, rootSessionId = sessionId): PendingItem => ({
    id,
    at,
    sessionId,
    rootSessionId,
  });
  const all = [asking('a', 'one'), asking('b', 'two'), asking('c', 'agent', 'two'), asking('d', 'three')];
  const met = new Set<string>();
  const order: string[] = [];
  for (let next = findNext(all, met, 'two'); next; next = findNext(all, met, 'two')) {
    met.add(next.id);
    order.push(next.id);
  }
  expect(order).toEqual(['b', 'c', 'a', 'd']);
  expect(findNext(all, met, 'two')).toBeUndefined();
});
