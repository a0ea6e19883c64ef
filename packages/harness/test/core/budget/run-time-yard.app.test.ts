// The time of runs and roles, by the real clock: limits are a third of what is worked, so that a slow machine changes nothing.
import type { Role } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { draft, openAgentYard, type Script } from '../agents/stage.ts';

const second = 1 / 60;
const works =
  (ms: number): Script =>
  () => [{ pauseMs: ms }, { text: 'Done.' }];
/** Of what it uses nobody hears. */
const fails =
  (ms: number): Script =>
  () => [{ pauseMs: ms }, { fail: { code: 'internal', message: 'no' } }];

describe('limits.wallMinutes', () => {
  it.each([
    ['work', works(400)],
    ['fail', fails(400)],
  ])('holds for agents that %s one after another, when their root has ended', async (_, work) => {
    const yard = await openAgentYard(
      {
        Plan: ({ step }) => (step === 0 ? [1, 2, 3, 4].map((at) => draft(`work ${at}`)) : [{ text: 'ok' }]),
        work,
      },
      { limits: { wallMinutes: 0.5 * second, concurrency: 1 } },
    );
    await yard.ask('Plan');
    const ends = await Promise.all((await yard.agents()).map(({ id }) => yard.client().agents.await(id)));
    const expired = ends.filter(({ status, error }) => status === 'expired' && error?.code === 'time_limit');
    expect(expired.length).toBeGreaterThanOrEqual(2);
  });

  it('does not hit who tries again twice after a pause', async () => {
    const used: Script = ({ step }) =>
      step === 0
        ? [{ text: 'Looks.' }, draft('x', { role: 'nobody' })]
        : [{ fail: { code: 'internal', message: 'no' } }];
    let aheadMs = 0;
    const clock = { now: () => Date.now() + aheadMs };
    const yard = await openAgentYard({ Fail: used }, { limits: { wallMinutes: 2 * second }, clock });
    const { sessionId } = await yard.ask('Fail');
    aheadMs = 3_600_000;
    for (const _ of [1, 2]) {
      const { turnId } = await yard.client().sessions.retry(sessionId);
      const events = await readUntil(yard, sessionId, isEndOf(turnId));
      expect(events.at(-1)).toMatchObject({ data: { outcome: 'failed', error: { code: 'internal' } } });
    }
  });

  it('of a role is counted from the beginning of the work: being queued makes it no longer', async () => {
    const brief: Role = {
      name: 'brief',
      description: 'Is short',
      category: 'conversational',
      instructions: '',
      source: 'code',
      file: '',
      tools: { allow: [], deny: [], tiers: {} },
      limits: { wallMinutes: 0.5 * second },
    };
    const yard = await openAgentYard(
      { hog: works(1_500), late: works(1_500), Open: () => [{ text: 'ok' }] },
      { roles: [brief], limits: { concurrency: 1 } },
    );
    const { client } = yard;
    const { sessionId } = await yard.ask('Open');
    await client().agents.draft({ role: 'developer', prompt: 'hog' });
    const { id } = await client().agents.draft({ role: 'brief', prompt: 'late', sessionId });
    const late = await client().agents.await(id);
    expect(late).toMatchObject({ status: 'expired', error: { code: 'time_limit', data: { agentId: id } } });
  });
});
