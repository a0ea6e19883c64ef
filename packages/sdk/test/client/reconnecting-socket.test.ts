import { expect, test } from 'vitest';
import { toWait } from '../../src/client/reconnecting-socket.ts';

test('a server that is gone is asked after a wait that doubles up to ten seconds, and is not the same for all', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => toWait(attempt, 0.5));
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect([toWait(1, 0), toWait(1, 1)]).toEqual([375, 625]);
});
