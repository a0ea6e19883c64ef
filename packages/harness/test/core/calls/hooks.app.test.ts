// Hooks that misbehave: what they return, throw or never return harms no call but the one they were asked about.
import { expect, it } from 'vitest';
import type { Hooks } from '../../../src/core/calls/hooks.ts';
import { openLedgerYard, textOf } from '../../support/ledger.ts';
import { converse, isEndOf, quiet, readUntil } from '../../support/yard.ts';

const failed = 'The call was not run: a hook of this installation failed.';
const auto = 'toolApproval: { perTool: { mcp__suite__pay: auto } }';

it.each([
  true,
  false,
  'no',
  null,
  0,
  {},
  { allow: true },
  { deny: true },
  { deny: 1, input: { to: 'eve' } },
  [],
])('a beforeToolCall hook that returns %j denies the call', async (verdict) => {
  const beforeToolCall = (() => verdict) as Hooks['beforeToolCall'];
  const { yard, ran } = await openLedgerYard(auto, { hooks: { ...(beforeToolCall && { beforeToolCall }) } });
  const { id } = await yard.client().sessions.create();
  expect(textOf(await converse(yard, id, 'pay bob'))).toBe(failed);
  expect(ran).toEqual([]);
});

it.each([
  ['rejects', async () => Promise.reject(new Error('boom'))],
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
])('an onEvent hook that %s is told in the log and ends nothing', async (_, onEvent) => {
  const said: string[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  const logger = { ...quiet, error: (message: string) => said.push(message) };
  const { yard, ran } = await openLedgerYard(auto, { hooks: { onEvent }, logger });
  const { id } = await yard.client().sessions.create();
  const events = await converse(yard, id, 'pay bob');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', onUnhandled);
  expect({ unhandled, ran }).toEqual({ unhandled: [], ran: ['bob'] });
  expect(said.filter((message) => message === 'onEvent hook failed').length).toBeGreaterThanOrEqual(
    events.length - 2,
  );
});

it('a call that is interrupted while its hook hangs has a result', async () => {
  const hanging = Promise.withResolvers<void>();
  const beforeToolCall = () => {
    hanging.resolve();
    return new Promise<never>(() => {});
  };
  const { yard, ran } = await openLedgerYard(auto, { hooks: { beforeToolCall } });
  const { sessions, audit } = yard.client();
  const { id } = await sessions.create();
  const { turnId } = await sessions.send(id, 'pay bob');
  await hanging.promise;
  await sessions.interrupt(id);
  const events = await readUntil(yard, id, isEndOf(turnId));
  expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([
    { data: { isError: true, output: 'The call was not run: the turn was interrupted.' } },
  ]);
  expect((await audit.list()).items).toMatchObject([{ decision: 'deny', rule: 'interrupted' }]);
  expect(ran).toEqual([]);
});
