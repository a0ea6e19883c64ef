import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { agentToken, connect, eras, type McpYard, openMcpYard, pendingOf, until } from './clients.ts';

const pay = { name: 'pay', arguments: { to: 'Ann' } };
const paid = { structuredContent: { paid: 'Ann' } };
const refused = (text: unknown) => ({ content: [{ type: 'text', text }], isError: true });
const choose = (decision: string) => ({ action: 'accept' as const, content: { decision } });

async function decisionsOf({ yard }: McpYard) {
  const { items } = await yard.client().approvals.list();
  return items.map(({ state, scope, decidedBy }) => ({ state, scope, decidedBy }));
}

const owner = { kind: 'person', id: 'owner', via: 'mcp' };

describe.each(eras)('a person at a client of the %s protocol', (era) => {
  it('is asked there, sees what would run, and allows it once', async () => {
    const house = await openMcpYard();
    const asked: string[] = [];
    const client = await connect(house, {
      era,
      onElicitation: (message) => {
        asked.push(message);
        return choose('allow once');
      },
    });
    expect(await client.callTool({ name: 'pay', arguments: { to: 'Ann\u202e' } })).toMatchObject({
      structuredContent: { paid: 'Ann\u202e' },
    });
    expect(asked).toEqual([expect.stringContaining('mcp__toolyard__pay')]);
    expect(asked[0]).toContain('⟨U+202E⟩');
    expect(await decisionsOf(house)).toEqual([{ state: 'allowed', scope: 'once', decidedBy: owner }]);
    await client.callTool(pay);
    expect(asked).toHaveLength(2);
    expect(house.witness.paid).toEqual(['Ann\u202e', 'Ann']);
  });

  it('allows it for the session, and is not asked again', async () => {
    const house = await openMcpYard();
    let asked = 0;
    const client = await connect(house, {
      era,
      onElicitation: () => {
        asked++;
        return choose('allow for this session');
      },
    });
    expect(await client.callTool(pay)).toMatchObject(paid);
    expect(await client.callTool(pay)).toMatchObject(paid);
    expect({ asked, paid: house.witness.paid }).toEqual({ asked: 1, paid: ['Ann', 'Ann'] });
  });

  it.each([['another word', choose('sure')] as const, ['no word', { action: 'accept' as const }] as const])(
    'who answers with %s is not asked there again, and may still answer elsewhere',
    async (_, answer) => {
      const house = await openMcpYard();
      let asked = 0;
      const onElicitation = () => {
        asked++;
        return answer;
      };
      const client = await connect(house, { era, onElicitation });
      const call = client.callTool(pay);
      await until(() => asked > 0);
      await pause(200);
      const [approval] = await pendingOf(house);
      await house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow' });
      expect(await call).toMatchObject(paid);
      expect(asked).toBe(1);
    },
  );

  it.each([['deny', choose('deny')] as const, ['decline', { action: 'decline' as const }] as const])(
    'says no by %s, and it does not run',
    async (_, answer) => {
      const house = await openMcpYard();
      const client = await connect(house, { era, onElicitation: () => answer });
      expect(await client.callTool(pay)).toMatchObject(refused('The person did not allow this call.'));
      expect(house.witness.paid).toEqual([]);
      expect(await decisionsOf(house)).toEqual([{ state: 'denied', scope: undefined, decidedBy: owner }]);
    },
  );

  it('puts the question away and answers it elsewhere', async () => {
    const house = await openMcpYard();
    let asked = 0;
    const client = await connect(house, {
      era,
      onElicitation: () => {
        asked++;
        return { action: 'cancel' };
      },
    });
    const call = client.callTool(pay);
    await until(() => asked === 1);
    const [approval] = await pendingOf(house);
    await house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow' });
    expect(await call).toMatchObject(paid);
    expect(asked).toBe(1);
  });

  it('is too late when somebody elsewhere was faster: the call runs as that one said, once (P3)', async () => {
    const house = await openMcpYard();
    const answered = Promise.withResolvers<void>();
    const client = await connect(house, {
      era,
      onElicitation: async () => {
        await answered.promise;
        return choose('allow once');
      },
    });
    const call = client.callTool(pay);
    const [approval] = await pendingOf(house);
    await house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'deny', reason: 'not now' });
    answered.resolve();
    expect(await call).toMatchObject(refused('The person did not allow this call: not now'));
    expect(house.witness.paid).toEqual([]);
    expect(await decisionsOf(house)).toMatchObject([{ state: 'denied', decidedBy: { via: 'library' } }]);
  });

  it('A11: an agent’s token is never asked, whatever its client would answer; a person elsewhere decides', async () => {
    const house = await openMcpYard();
    let asked = 0;
    const client = await connect(house, {
      era,
      token: await agentToken(house, 'assistant'),
      onElicitation: () => {
        asked++;
        return choose('allow for this session');
      },
    });
    const heard: (string | undefined)[] = [];
    const call = client.callTool(pay, { onprogress: ({ message }) => heard.push(message) });
    const [approval] = await pendingOf(house);
    const id = approval?.id ?? '';
    await until(() => heard.length > 0);
    await pause(300);
    expect({ asked, paid: house.witness.paid }).toEqual({ asked: 0, paid: [] });
    await house.yard.client().approvals.answer(id, { decision: 'allow' });
    expect(await call).toMatchObject(paid);
    expect(heard).toEqual([`Waiting for a person: toolyard approvals allow ${id}`]);
    expect(await decisionsOf(house)).toMatchObject([
      { state: 'allowed', decidedBy: { id: 'owner', via: 'library' } },
    ]);
  });

  it('A9: a client that stops waiting cancels the question, and a late answer runs nothing', async () => {
    const house = await openMcpYard();
    const client = await connect(house, { era });
    const giveUp = new AbortController();
    const call = client.callTool(pay, { signal: giveUp.signal });
    const failed = expect(call).rejects.toThrow();
    const [approval] = await pendingOf(house);
    giveUp.abort();
    await failed;
    await until(
      async () => (await house.yard.client().approvals.get(approval?.id ?? '')).state === 'cancelled',
    );
    const late = house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow' });
    await expect(late).rejects.toMatchObject({ code: 'already_answered' });
    expect(house.witness.paid).toEqual([]);
  });

  it('hears that nobody could answer in time, not that somebody refused', async () => {
    const house = await openMcpYard('toolApproval: { approvalTimeout: 200 }');
    const client = await connect(house, { era });
    expect(await client.callTool(pay)).toMatchObject(
      refused(expect.stringContaining('no one answered in time')),
    );
  });
});
