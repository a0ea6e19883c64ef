// Agents that meet the same limit: their person is asked once for all of them, and one answer counts for all.
import { pause, type Question } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { readUntil } from '../../support/yard.ts';
import { type AgentYard, call, draft, openAgentYard, type Script } from '../agents/stage.ts';

/** Drafts five and says so much that none of them may begin. */
const plan: Script = ({ step }) =>
  step === 0
    ? [
        ...Array.from({ length: 5 }, (_, at) => draft(`work ${at}`)),
        ...Array.from({ length: 100 }, () => ({ text: '.' })),
      ]
    : [{ text: 'ok' }];
const scripts = { Plan: plan, work: () => [{ text: 'Done.' }] };
const limits = { tokens: 100, onLimit: 'ask', concurrency: 5 };

async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(10);
  }
  throw new Error(`${what} did not come`);
}

/** The one question, once so many agents wait for its answer. */
async function untilAsked(yard: AgentYard, waiting: number): Promise<Question> {
  return until(`a question of ${waiting}`, async () => {
    const agents = await yard.agents();
    const { items } = await yard.client().questions.list({ state: 'pending' });
    if (agents.filter(({ status }) => status === 'waiting').length !== waiting) return undefined;
    expect(items).toHaveLength(1);
    return items[0]?.sharedBy?.length === waiting - 1 ? items[0] : undefined;
  });
}

async function ends(yard: AgentYard): Promise<string[]> {
  return until('the end of all', async () => {
    const agents = await yard.agents();
    if (agents.some(({ endedAt }) => !endedAt)) return undefined;
    return agents.map(({ status, error }) => error?.code ?? status).sort();
  });
}

async function openAsked(rest: object = {}) {
  const yard = await openAgentYard(scripts, { limits, ...rest });
  const { sessionId } = await yard.ask('Plan');
  return { yard, sessionId, question: await untilAsked(yard, 5) };
}

const five = (what: string) => Array.from({ length: 5 }, () => what);

describe('five agents at one limit, with onLimit: ask', () => {
  it('ask one question between them, and a yes raises the limit once', async () => {
    const { yard, sessionId, question } = await openAsked();
    const runId = question.limit?.runId ?? '';
    const raise = { by: 100, from: { [runId]: 0 } };
    expect(question.limit).toEqual({ runId, limit: 'tokens', max: 100, raise });
    await yard.client().questions.answer(question.id, question.options?.[0]?.label ?? '');
    expect(await ends(yard)).toEqual(five('done'));
    expect((await yard.client().runs.get(runId)).limits.tokens).toBe(200);
    const session = await yard.client().sessions.get(sessionId);
    const log = await readUntil(yard, sessionId, ({ seq }) => seq >= session.lastSeq);
    expect(log.filter(({ type }) => type === 'question_required')).toHaveLength(1);
  });

  it('end together with a no', async () => {
    const { yard, question } = await openAsked();
    await yard.client().questions.answer(question.id, 'Stop here');
    expect(await ends(yard)).toEqual(five('budget_limit'));
  });

  it('wait on after a restart, and go on with the one answer', async () => {
    const { yard: first, question } = await openAsked();
    await first.close();
    const second = await openAgentYard(scripts, { limits, home: first.home });
    expect(await untilAsked(second, 5)).toMatchObject({ id: question.id, sharedBy: question.sharedBy });
    await second.client().questions.answer(question.id, question.options?.[0]?.label ?? '');
    expect(await ends(second)).toEqual(five('done'));
    expect((await second.agents()).map(({ result }) => result?.summary)).toEqual(five('Done.'));
    expect((await second.client().runs.get(question.limit?.runId ?? '')).limits.tokens).toBe(200);
  });

  it('ask anew when the one that had asked for all is killed', async () => {
    const { yard, question } = await openAsked();
    const asker = (await yard.agents()).find(({ sessionId }) => sessionId === question.sessionId);
    await yard.client().agents.kill(asker?.id ?? '');
    const { id, options } = await untilAsked(yard, 4);
    expect(id).not.toBe(question.id);
    await yard.client().questions.answer(id, options?.[0]?.label ?? '');
    expect(await ends(yard)).toEqual([...five('done').slice(1), 'killed']);
  });
});

/** One slot, and somebody of another run has it: whoever goes on with an answer must wait for it. */
async function openBusy(work: Script) {
  const busy = { ...scripts, work, hog: () => [{ untilAborted: true }] } satisfies Record<string, Script>;
  const rest = { limits: { ...limits, concurrency: 1 } };
  const yard = await openAgentYard(busy, rest);
  await yard.ask('Plan');
  const question = await untilAsked(yard, 5);
  const hogs = [await draftHog(yard), await draftHog(yard)];
  await untilRunning(yard, hogs[0] ?? '');
  const yes = (of: AgentYard, { id, options }: Question) =>
    of.client().questions.answer(id, options?.[0]?.label ?? '');
  const again = (changed: object = {}) =>
    openAgentYard(busy, { limits: { ...rest.limits, ...changed }, home: yard.home });
  return { yard, question, hogs, yes, again };
}

async function draftHog(yard: AgentYard): Promise<string> {
  return (await yard.client().agents.draft({ role: 'developer', prompt: 'hog' })).id;
}

async function untilRunning(yard: AgentYard, id: string): Promise<void> {
  await until('its turn', async () => (await yard.client().agents.get(id)).status === 'running' || undefined);
}

async function tokensOf(yard: AgentYard, { limit }: Question): Promise<number> {
  return (await yard.client().runs.get(limit?.runId ?? '')).limits.tokens;
}

describe('an answer about a limit', () => {
  it('counts for that limit alone, also with those that come late after a restart', async () => {
    const { yard, question, hogs, yes, again } = await openBusy(() =>
      Array.from({ length: 300 }, () => ({ text: '.' })),
    );
    await yard.close();
    const second = await again();
    await untilRunning(second, hogs[1] ?? '');
    await yes(second, question);
    await second.client().agents.kill(hogs[1] ?? '');
    const next = await until('another question', async () => {
      const { items } = await second.client().questions.list({ state: 'pending' });
      return items[0]?.sharedBy?.length === 3 ? items[0] : undefined;
    });
    expect([next.limit?.max, await tokensOf(second, question)]).toEqual([200, 200]);
    await second.client().questions.answer(next.id, 'Stop here');
    const stopped = five('budget_limit').slice(1);
    expect(await ends(second)).toEqual([...stopped, 'done', 'killed', 'restarted']);
    expect(await tokensOf(second, question)).toBe(200);
  });

  it('raises it when it is stored, and is theirs after a restart who had not gone on yet', async () => {
    const { yard, question, hogs, yes, again } = await openBusy(() => [{ text: 'Done.' }]);
    await yes(yard, question);
    expect(await tokensOf(yard, question)).toBe(200);
    await yard.close();
    const second = await again();
    await untilRunning(second, hogs[1] ?? '');
    await second.client().agents.kill(hogs[1] ?? '');
    expect(await ends(second)).toEqual([...five('done'), 'killed', 'restarted']);
    expect(await tokensOf(second, question)).toBe(200);
  });

  it('is theirs as well when it is a no', async () => {
    const { yard, question, hogs, again } = await openBusy(() => [{ text: 'Done.' }]);
    await yard.client().questions.answer(question.id, 'Stop here');
    await yard.close();
    const second = await again();
    await untilRunning(second, hogs[1] ?? '');
    await second.client().agents.kill(hogs[1] ?? '');
    expect(await ends(second)).toEqual([...five('budget_limit'), 'killed', 'restarted']);
    expect((await second.client().questions.list({ state: 'pending' })).items).toEqual([]);
  });
});

describe('an answer about a limit that the configuration has changed since', () => {
  it('is not an answer about the new one', async () => {
    const { yard, question, hogs, yes, again } = await openBusy(() => [{ text: 'Done.' }]);
    await yard.client().questions.answer(question.id, 'Stop here');
    await yard.close();
    const second = await again({ tokens: 101 });
    await untilRunning(second, hogs[1] ?? '');
    await second.client().agents.kill(hogs[1] ?? '');
    const next = await untilAsked(second, 5);
    expect([next.id === question.id, next.limit?.max]).toEqual([false, 101]);
    await yes(second, next);
    expect(await ends(second)).toEqual([...five('done'), 'killed', 'restarted']);
  });
});

describe('two calls of one turn at one limit', () => {
  it('wait for one answer, and what it does not allow is asked about next', async () => {
    const yard = await openAgentYard(
      {
        Plan: ({ step }) =>
          step === 0 ? ['a', 'b', 'c'].map((name) => draft(`stay ${name}`)) : [call('ping')],
        stay: () => [{ untilAborted: true }],
      },
      { limits: { maxChildren: 1, onLimit: 'ask' } },
    );
    const { id } = await yard.client().sessions.create({ role: 'coordinator' });
    await yard.client().sessions.send(id, 'Plan');
    const asked: (string | undefined)[] = [];
    for (const drafted of [1, 2]) {
      const question = await until('a question', async () => {
        const { items } = await yard.client().questions.list({ state: 'pending' });
        expect(items.length).toBeLessThanOrEqual(1);
        return (await yard.agents()).length === drafted ? items[0] : undefined;
      });
      asked.push(/^The limit of (\d+) /.exec(question.text)?.[1]);
      await yard.client().questions.answer(question.id, question.options?.[0]?.label ?? '');
    }
    await until('all three', async () => (await yard.agents()).length === 3 || undefined);
    expect(asked).toEqual(['1', '2']);
  });
});
