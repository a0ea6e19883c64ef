import { describe, expect, it } from 'vitest';
import { firstPending, openLedgerYard, pendingOf, textOf } from '../../support/ledger.ts';
import { rounds } from '../../support/soak.ts';
import { isEndOf, readUntil } from '../../support/yard.ts';

describe('an approval', () => {
  it('is asked, answered once, and the call runs once', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const { turnId } = await client.sessions.send(id, 'pay bob');
    const asked = await firstPending(yard);
    expect(asked).toMatchObject({
      tool: 'mcp__suite__pay',
      input: { to: 'bob' },
      risk: 'high',
      state: 'pending',
    });
    expect(await client.sessions.get(id)).toMatchObject({ status: 'waiting' });
    expect(ran).toEqual([]);
    const answered = await client.approvals.answer(asked.id, { decision: 'allow' });
    expect(answered).toMatchObject({
      state: 'allowed',
      scope: 'once',
      decidedBy: { kind: 'person', id: 'owner' },
    });
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(textOf(events)).toBe('{"paid":"bob"}');
    expect(ran).toEqual(['bob']);
    await expect(client.approvals.answer(asked.id, { decision: 'deny' })).rejects.toMatchObject({
      code: 'already_answered',
      data: { state: 'allowed', decidedBy: { id: 'owner' } },
    });
  });

  it('that is denied tells the model the reason, and nothing runs', async () => {
    const { yard, ran } = await openLedgerYard();
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'pay bob');
    const { id: approvalId } = await firstPending(yard);
    await yard.client().approvals.answer(approvalId, { decision: 'deny', reason: 'not today' });
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(textOf(events)).toBe('The person did not allow this call: not today');
    expect(ran).toEqual([]);
  });

  it('P3, A8: in round after round of concurrent answers one wins, and the call runs at most once', {
    timeout: 180_000,
  }, async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const lines = { allowed: 0, winners: new Set<number>() };
    const count = rounds({ short: 30, full: 1_000 });
    for (let round = 0; round < count; round++) {
      for await (const event of client.sessions.stream(id, `pay r${round}`)) {
        if (event.type !== 'approval_required') continue;
        const answers = await Promise.allSettled(
          Array.from({ length: 4 }, (_, at) =>
            client.approvals.answer(event.data.approval.id, {
              decision: at % 2 === round % 2 ? 'allow' : 'deny',
            }),
          ),
        );
        const won = answers.filter(({ status }) => status === 'fulfilled');
        lines.winners.add(won.length);
        if (won[0]?.status === 'fulfilled' && won[0].value.state === 'allowed') lines.allowed++;
      }
    }
    expect([...lines.winners]).toEqual([1]);
    expect(ran).toHaveLength(lines.allowed);
    expect(new Set(ran).size).toBe(ran.length);
    expect(await client.audit.verify()).toMatchObject({ ok: true });
  });

  it('A9: that nobody answers expires; the model hears so and never "refused"; a late answer is rejected', async () => {
    const { yard, ran } = await openLedgerYard('toolApproval: { approvalTimeout: 150 }');
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'pay bob');
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(textOf(events)).toMatch(/no one answered.*expired/);
    const approvalId = (await yard.client().approvals.list({ state: 'expired' })).items[0]?.id ?? '';
    await expect(yard.client().approvals.answer(approvalId, { decision: 'allow' })).rejects.toMatchObject({
      code: 'already_answered',
      data: { state: 'expired' },
    });
    expect(ran).toEqual([]);
  });

  it('A9: is cancelled with its turn, and cannot be answered afterwards', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const { turnId } = await client.sessions.send(id, 'pay bob');
    const { id: approvalId } = await firstPending(yard);
    await client.sessions.interrupt(id);
    await readUntil(yard, id, isEndOf(turnId));
    expect(await client.approvals.get(approvalId)).toMatchObject({ state: 'cancelled' });
    await expect(client.approvals.answer(approvalId, { decision: 'allow' })).rejects.toMatchObject({
      code: 'already_answered',
    });
    expect(ran).toEqual([]);
  });

  it('A10: with a guessed id is not there', async () => {
    const { yard } = await openLedgerYard();
    for (const id of [`apr_${'0'.repeat(22)}`, '../../x', 'ses_1', 'apr_']) {
      await expect(yard.client().approvals.answer(id, { decision: 'allow' })).rejects.toMatchObject({
        code: 'approval_not_found',
      });
    }
  });

  it('A11: cannot be answered with an agent’s token, which opens nothing else either', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'pay bob');
    const approval = await firstPending(yard);
    const { secret } = await client.tokens.create({ name: 'agent', role: 'assistant' });
    const answer = new Request(`http://127.0.0.1/api/approvals/${approval.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{"decision":"allow"}',
    });
    expect((await yard.fetch(answer)).status).toBe(403);
    expect(await client.approvals.get(approval.id)).toMatchObject({ state: 'pending' });
  });

  it('survives a stop: the turn continues after the next start and the call runs once', async () => {
    const { yard: first, home } = await openLedgerYard();
    const { id } = await first.client().sessions.create();
    const { turnId } = await first.client().sessions.send(id, 'pay bob, look here');
    await pendingOf(first, 2);
    await first.close();

    const { yard: second, ran } = await openLedgerYard('', { home });
    expect(await second.client().sessions.get(id)).toMatchObject({ status: 'waiting' });
    for (const approval of await pendingOf(second, 2)) {
      await second.client().approvals.answer(approval.id, { decision: 'allow' });
    }
    const events = await readUntil(second, id, isEndOf(turnId));
    expect(textOf(events)).toBe('{"paid":"bob"}|{"seen":"here"}');
    expect(ran.sort()).toEqual(['bob', 'here']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('has a clock that stands still while the server is down', async () => {
    const { yard: first, home } = await openLedgerYard('toolApproval: { approvalTimeout: 60000 }');
    const { id } = await first.client().sessions.create();
    await first.client().sessions.send(id, 'pay bob');
    const { expiresAt } = await firstPending(first);
    await first.close();
    const downMs = 3_600_000;
    const clock = { now: () => Date.now() + downMs };
    const { yard: second } = await openLedgerYard('', { home, clock });
    const after = (await firstPending(second)).expiresAt;
    expect(Date.parse(after ?? '') - Date.parse(expiresAt ?? '')).toBeGreaterThanOrEqual(downMs);
  });

  it('waits on when it is to be parked', async () => {
    const config = 'toolApproval: { approvalTimeout: 50, unattended: park }';
    const { yard, ran } = await openLedgerYard(config);
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'pay bob');
    const asked = (await readUntil(yard, id, ({ type }) => type === 'approval_required')).at(-1);
    if (asked?.type !== 'approval_required') throw new Error('nobody was asked');
    const { approval } = asked.data;
    expect(approval).toMatchObject({ expiresAt: expect.any(String), unattended: 'park' });
    const parked = { ...approval, expiresAt: null };
    await expect.poll(() => yard.client().approvals.get(approval.id)).toEqual(parked);
    await yard.client().approvals.answer(approval.id, { decision: 'allow' });
    await readUntil(yard, id, isEndOf(turnId));
    expect(ran).toEqual(['bob']);
  });

  it('is refused beyond the cap on pending ones', async () => {
    const { yard } = await openLedgerYard('toolApproval: { maxPending: 2 }');
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'pay a, pay b, pay c');
    const pending = await pendingOf(yard, 2);
    for (const approval of pending) await yard.client().approvals.answer(approval.id, { decision: 'deny' });
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(textOf(events)).toContain('This session already has 2 pending approvals.');
    expect(pending).toHaveLength(2);
  });
});

describe('one answer', () => {
  it('for the session covers the same call asked twice in one step', async () => {
    const { yard, ran } = await openLedgerYard();
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'look here, look there');
    const [approval] = await pendingOf(yard, 2);
    await yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow', scope: 'session' });
    await readUntil(yard, id, isEndOf(turnId));
    expect(ran.sort()).toEqual(['here', 'there']);
    expect((await yard.client().grants.list()).items).toHaveLength(1);
  });
});

describe('where the person’s own configuration asks each time', () => {
  it('a wider yes counts once: no sibling runs and no grant is kept', async () => {
    const { yard, ran } = await openLedgerYard('toolApproval: { perTool: { mcp__suite__look: always } }');
    const { id } = await yard.client().sessions.create();
    const { turnId } = await yard.client().sessions.send(id, 'look here, look there');
    const [approval] = await pendingOf(yard, 2);
    const answered = await yard
      .client()
      .approvals.answer(approval?.id ?? '', { decision: 'allow', scope: 'session' });
    expect(answered).toMatchObject({ state: 'allowed', scope: 'once' });
    await readUntil(yard, id, ({ type }) => type === 'tool_result');
    const pending = (await yard.client().approvals.list({ state: 'pending' })).items;
    expect(pending).toHaveLength(1);
    expect((await yard.client().grants.list()).items).toEqual([]);
    await yard.client().approvals.answer(pending[0]?.id ?? '', { decision: 'deny' });
    await readUntil(yard, id, isEndOf(turnId));
    expect(ran).toHaveLength(1);
  });
});

describe('a session made for a tool call', () => {
  it('takes no messages and cannot be retried', async () => {
    const { yard } = await openLedgerYard();
    const { sessionId } = await yard
      .client()
      .tools.call('mcp__toolyard__read_output', { input: { output_id: 'x' } });
    await expect(yard.client().sessions.send(sessionId, 'hello')).rejects.toMatchObject({
      message: /made for a tool call/,
    });
    await expect(yard.client().sessions.retry(sessionId)).rejects.toMatchObject({
      message: /made for a tool call/,
    });
  });
});

describe('a grant', () => {
  it('A12: for the session covers the same call there, no other call and no other session', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = await client.sessions.send(id, 'pay bob');
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
    await readUntil(yard, id, isEndOf(first.turnId));
    const same = await client.sessions.send(id, 'pay bob');
    await readUntil(yard, id, isEndOf(same.turnId));
    expect(ran).toEqual(['bob', 'bob']);
    await client.sessions.send(id, 'pay eve');
    expect(await firstPending(yard)).toMatchObject({ input: { to: 'eve' } });
    const other = await client.sessions.create();
    await client.sessions.send(other.id, 'pay bob');
    expect((await pendingOf(yard, 2)).map(({ sessionId }) => sessionId)).toContain(other.id);
    const { items } = await client.grants.list();
    expect(items).toMatchObject([
      { scope: 'session', sessionId: id, uses: 1, stale: false, owner: { id: 'owner' } },
    ]);
  });

  it('that is revoked asks again', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = await client.sessions.send(id, 'look here');
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'always' });
    await readUntil(yard, id, isEndOf(first.turnId));
    const [grant] = (await client.grants.list()).items;
    expect(grant).toMatchObject({ scope: 'always', role: 'assistant' });
    await client.grants.revoke(grant?.id ?? '');
    await client.sessions.send(id, 'look there');
    expect(await firstPending(yard)).toMatchObject({ input: { at: 'there' } });
    await expect(client.grants.revoke(grant?.id ?? '')).rejects.toMatchObject({ code: 'grant_not_found' });
  });
});

describe('the evidence', () => {
  it('P14: holds one decision before each call that ran, and verifies', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const first = await client.sessions.send(id, 'pay bob, look here');
    for (const approval of await pendingOf(yard, 2)) {
      const decision = approval.tool.endsWith('pay') ? 'deny' : 'allow';
      await client.approvals.answer(approval.id, { decision, scope: 'session' });
    }
    await readUntil(yard, id, isEndOf(first.turnId));
    const second = await client.sessions.send(id, 'look there');
    await readUntil(yard, id, isEndOf(second.turnId));
    const { items } = await client.audit.list();
    const story = items.map(({ kind, tool, decision, outcome, actor }) => [
      kind,
      tool?.slice(12),
      decision ?? outcome,
      actor.kind,
    ]);
    expect(story.slice(-3)).toEqual([
      ['result', 'look', 'done', 'agent'],
      ['decision', 'look', 'allow', 'system'],
      ['result', 'look', 'done', 'agent'],
    ]);
    expect(story).toContainEqual(['decision', 'pay', 'deny', 'person']);
    expect(ran).toEqual(['here', 'there']);
    expect(await client.audit.verify()).toEqual({ ok: true, rows: items.length });
  });
});
