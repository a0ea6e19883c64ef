// A token that is taken back: nothing that is open for it goes on.
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { createClient, pause, type Store } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { connect, eras, type McpYard, openMcpYard, pendingOf, until } from './clients.ts';
import { openSession, send, toCall, toModernCall } from './raw.ts';

const pay = { name: 'pay', arguments: { to: 'Ann' } };

async function newToken({ yard }: McpYard, kind: 'agent' | 'person' = 'agent') {
  const role = kind === 'agent' ? { role: 'assistant' } : {};
  const { id, secret } = await yard.client().tokens.create({ name: 'test', kind, ...role });
  return { id, secret, revoke: () => yard.client().tokens.revoke(id) };
}

/** Says that the approval is cancelled and that a late yes runs nothing. */
async function expectCancelled({ yard, witness }: McpYard, approvalId: string): Promise<void> {
  await until(async () => (await yard.client().approvals.get(approvalId)).state === 'cancelled');
  const late = yard.client().approvals.answer(approvalId, { decision: 'allow', scope: 'always' });
  await expect(late).rejects.toMatchObject({ code: 'already_answered' });
  expect(witness.paid).toEqual([]);
  expect((await yard.client().grants.list()).items).toEqual([]);
}

describe.each(eras)('a token of a client of the %s protocol that is revoked', (era) => {
  it('takes its question along: a late yes runs nothing', async () => {
    const house = await openMcpYard();
    const token = await newToken(house);
    const client = await connect(house, { era, token: token.secret });
    const call = client.callTool(pay).then(
      (result) => result.isError,
      () => true,
    );
    const [approval] = await pendingOf(house);
    await token.revoke();
    await expectCancelled(house, approval?.id ?? '');
    if (era === 'modern') expect(await call).toBe(true);
  });

  it('stops what it has under way, and nobody else’s', async () => {
    const house = await openMcpYard();
    const token = await newToken(house);
    const [theirs, mine] = [
      await connect(house, { era, token: token.secret }),
      await connect(house, { era }),
    ];
    for (const client of [theirs, mine]) client.callTool({ name: 'linger', arguments: {} }).catch(() => {});
    await until(() => house.witness.lingered.length === 2);
    await token.revoke();
    await until(() => house.witness.lingered.length === 3);
    expect(house.witness.lingered).toEqual(['began', 'began', 'stopped']);
    expect(house.yard.activity().idleSince).toBeUndefined();
  });
});

describe('a revoked token', () => {
  it('takes along a question that its client has gone to ask its person', async () => {
    const house = await openMcpYard();
    const token = await newToken(house, 'person');
    const answered = Promise.withResolvers<{ action: 'cancel' }>();
    const client = await connect(house, {
      era: 'modern',
      token: token.secret,
      onElicitation: () => answered.promise,
    });
    client.callTool(pay).catch(() => {});
    const [approval] = await pendingOf(house);
    await token.revoke();
    await expectCancelled(house, approval?.id ?? '');
    answered.resolve({ action: 'cancel' });
  });

  it('ends the sessions of its older clients, and the streams on which they listen', async () => {
    const house = await openMcpYard();
    const token = await newToken(house);
    const theirs = await openSession(house, { token: token.secret });
    const mine = await openSession(house);
    const listen = (headers: Record<string, string>, secret: string) =>
      send(house, undefined, { method: 'GET', token: secret, headers });
    const stream = await listen(theirs, token.secret);
    await listen(mine, house.yard.token);
    await token.revoke();
    expect(await stream.text()).not.toContain('data:');
    const echo = toCall(1, 'echo', { text: 'hi' });
    expect((await send(house, echo, { headers: mine })).status).toBe(200);
  });

  it('closes the event streams that were opened with it, and leaves the others', async () => {
    const house = await openMcpYard();
    const { yard, url } = house;
    const token = await newToken(house, 'person');
    const { id } = await yard.client().sessions.create();
    const open = (secret: string) =>
      fetch(new URL(`/api/sessions/${id}/events`, url), { headers: { authorization: `Bearer ${secret}` } });
    const [theirs, mine] = [await open(token.secret), await open(yard.token)];
    await token.revoke();
    expect(await theirs.text()).toBe('retry: 1000\n\n');
    const reader = mine.body?.getReader();
    await reader?.read();
    expect(await Promise.race([reader?.read(), pause(200).then(() => 'still open')])).toBe('still open');
    await reader?.cancel();
    expect((await open(token.secret)).status).toBe(401);
  });

  it('of a person stops the call that waits at the HTTP door', async () => {
    const house = await openMcpYard();
    const token = await newToken(house, 'person');
    const call = fetch(new URL('/api/tools/mcp__toolyard__pay/call', house.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: pay.arguments }),
    });
    const [approval] = await pendingOf(house);
    await token.revoke();
    await expectCancelled(house, approval?.id ?? '');
    expect(await (await call).json()).toMatchObject({ isError: true });
  });

  it('opens nothing to a request whose body comes after it was revoked', async () => {
    const house = await openMcpYard('toolApproval: { perTool: { mcp__toolyard__echo: always } }');
    const waiting = house.yard.client().tools.call('mcp__toolyard__pay', { input: pay.arguments });
    const [approval] = await pendingOf(house);
    const bodies: [string, object][] = [
      ['/api/tools/mcp__toolyard__echo/call', { input: { text: '' } }],
      [`/api/approvals/${approval?.id}`, { decision: 'allow' }],
      ['/api/sessions', {}],
      ['/mcp', toModernCall(1, 'echo', { text: '' }).message],
    ];
    for (const [path, body] of bodies) {
      const token = await newToken(house, 'person');
      const answer = await sendLate(new URL(path, house.url), body, token);
      expect([answer.statusCode, await json(answer)]).toMatchObject([
        401,
        { error: { code: 'unauthorized' } },
      ]);
    }
    expect((await house.yard.client().approvals.list()).items).toEqual([approval]);
    expect((await house.yard.client().sessions.list()).items).toHaveLength(1);
    await house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'deny' });
    await waiting;
  });

  it('begins no call that was on its way to be begun', async () => {
    const race: { afterwards?: (() => Promise<unknown>) | undefined } = {};
    const wrapStore = (store: Store): Store => ({
      ...store,
      lastAliveAt: store.lastAliveAt,
      async commit(write) {
        const result = await store.commit(write);
        const { afterwards } = race;
        race.afterwards = undefined;
        await afterwards?.();
        return result;
      },
    });
    const house = await openMcpYard('toolApproval: { perTool: { mcp__toolyard__pay: auto } }', { wrapStore });
    const token = await newToken(house, 'person');
    const client = createClient({ baseUrl: house.url, token: token.secret });
    await client.sessions.list();
    // The next commit opens the session of the call.
    race.afterwards = token.revoke;
    expect(await client.tools.call('mcp__toolyard__pay', { input: pay.arguments })).toMatchObject({
      isError: true,
    });
    expect(house.witness.paid).toEqual([]);
  });
});

/** Sends the headers, revokes the token once they were judged, and only then sends the body. */
function sendLate(
  url: URL,
  body: object,
  { secret, revoke }: { secret: string; revoke(): Promise<unknown> },
): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'content-length': text.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, resolve).on('error', reject);
    sent.flushHeaders();
    pause(300)
      .then(revoke)
      .then(() => sent.end(text), reject);
  });
}
