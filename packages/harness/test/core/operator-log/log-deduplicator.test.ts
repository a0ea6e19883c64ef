// What is said again in the same words is folded; what differs in anything is not.
import { expect, it } from 'vitest';
import { createLogDeduplicator } from '../../../src/core/operator-log/log-deduplicator.ts';
import type { LogEntry } from '../../../src/core/operator-log/log-entry.ts';

const entry = (time: string, rest: Record<string, unknown> = {}): LogEntry => ({
  time,
  level: 'warn',
  message: 'the disk is full',
  ...rest,
});

function open(waitMs?: number) {
  const written: LogEntry[] = [];
  const repeats = createLogDeduplicator((each) => written.push(each), waitMs === undefined ? {} : { waitMs });
  return { written, repeats };
}

it('writes the first at once, and afterwards how often it was repeated', async () => {
  const { written, repeats } = open(20);
  for (const time of ['1', '2', '3']) repeats.write(entry(time));
  expect(written).toEqual([entry('1')]);
  await expect.poll(() => written).toEqual([entry('1'), entry('3', { repeated: 2 })]);
  repeats.write(entry('4'));
  expect(written.at(-1)).toEqual(entry('4'));
});

it('takes nothing for the same that differs in a field', () => {
  const { written, repeats } = open();
  for (const sessionId of ['a', 'b', 'c']) repeats.write(entry('1', { sessionId }));
  expect(written).toHaveLength(3);
});

it('says what it holds back when it is told to, and when there is too much to watch', () => {
  const { written, repeats } = open();
  for (const time of ['1', '2']) repeats.write(entry(time));
  for (let number = 0; number < 200; number++) repeats.write(entry('3', { number }));
  expect(written).toContainEqual(entry('2', { repeated: 1 }));
  repeats.write(entry('4', { number: 199 }));
  repeats.flush();
  expect(written.at(-1)).toEqual(entry('4', { number: 199, repeated: 1 }));
});
