// Whatever a client sends over its socket, it gets an error and the socket lives; and it can ask for no more than there is.
import { once } from 'node:events';
import { type ClientFrame, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it, vi } from 'vitest';
import { listenAt } from '../http/raw-socket.ts';
import { openLine } from '../http/wire.ts';
import { firstPending, openLedgerYard, pendingOf } from '../support/ledger.ts';
import { shareYard } from '../support/shared-yard.ts';
import { openTestYard } from '../support/yard.ts';

const nobody = `ses_${'9'.repeat(22)}`;
const megabyte = 1024 * 1024;

async function openYardWithSocket(readerLimits = {}) {
  const engine = createScriptedEngine({ reply: ({ text }) => [{ text: `You said ${text}.` }] });
  const yard = await openTestYard({ engine, readerLimits });
  const { open, port } = await listenAt(yard);
  return { yard, client: yard.client(), open, port, socket: await open() };
}

describe('a bad frame', () => {
  const openYard = shareYard();
  let listening: ReturnType<typeof listenAt> | undefined;
  const openShared = async () => {
    const yard = await openYard();
    listening ??= listenAt(yard);
    const { open } = await listening;
    return { client: yard.client(), socket: await open() };
  };

  it.each([
    ['nothing', '', 'invalid_json'],
    ['no JSON', 'hello', 'invalid_json'],
    ['half of it', '{"ref":"r","type":"subscr', 'invalid_json', 'r'],
    ['half of it, the name second', '{"type":"subscribe","ref":5,"sess', 'invalid_json', 5],
    ['two of them', '{"type":"subscribe"}{"type":"subscribe"}', 'invalid_json'],
    ['a prototype', '{"__proto__":{"type":"subscribe"},"ref":"r"}', 'invalid_json', 'r'],
    [
      'half of it, with what looks like a name at its end',
      '{"type":"message","content":",\\"ref\\":\\"r\\"}',
      'invalid_json',
    ],
    ['a bomb of brackets', `{"ref":"r","a":${'['.repeat(100_000)}`, 'invalid_json', 'r'],
    ['a number', '7', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['a list', '[{"type":"subscribe","ref":"r"}]', 'invalid_request'],
    ['no type', '{"ref":"r"}', 'invalid_request', 'r'],
    ['an unknown type', '{"ref":"r","type":"explode"}', 'invalid_request', 'r'],
    [
      'a type that does not exist yet',
      '{"ref":"r","type":"preflight","preflightId":"x"}',
      'invalid_request',
      'r',
    ],
    ['a type of another type', '{"ref":"r","type":["subscribe"]}', 'invalid_request', 'r'],
    ['a key too many', '{"ref":"r","type":"subscribe","sesionId":"x"}', 'invalid_request', 'r'],
    ['a name that is none', '{"ref":{"a":1},"type":"subscribe"}', 'invalid_request'],
    ['a name that is too long', `{"ref":"${'r'.repeat(101)}","type":"subscribe"}`, 'invalid_request'],
    ['no content', `{"ref":"r","type":"message","sessionId":"${nobody}"}`, 'invalid_request', 'r'],
    [
      'an id of another kind',
      `{"ref":"r","type":"message","sessionId":"apr_${'9'.repeat(22)}","content":"x"}`,
      'invalid_request',
      'r',
    ],
    ['an id with a path', '{"ref":"r","type":"interrupt","sessionId":"ses_../../x"}', 'invalid_request', 'r'],
    [
      'an unknown session',
      `{"ref":"r","type":"message","sessionId":"${nobody}","content":"x"}`,
      'session_not_found',
      'r',
    ],
    [
      'an interrupt of nobody',
      `{"ref":"r","type":"interrupt","sessionId":"${nobody}"}`,
      'session_not_found',
      'r',
    ],
    [
      'an unknown approval',
      `{"ref":"r","type":"approval","approvalId":"apr_${'9'.repeat(22)}","decision":"allow"}`,
      'approval_not_found',
      'r',
    ],
    [
      'an unknown question',
      `{"ref":"r","type":"question","questionId":"qst_${'9'.repeat(22)}","answer":"x"}`,
      'question_not_found',
      'r',
    ],
    [
      'a frame of 2 MB',
      `{"ref":"r","type":"message","sessionId":"${nobody}","content":"${'x'.repeat(2 * megabyte)}"}`,
      'payload_too_large',
      'r',
    ],
    ['2 MB of nothing', ' '.repeat(2 * megabyte), 'payload_too_large'],
  ] as const)(
    'of %s is answered with an error, and the socket lives',
    async (_, text, code, ref = undefined) => {
      const { client, socket } = await openShared();
      const before = (await client.sessions.list()).items.map((session) => session.id);
      socket.ws.send(text);
      const answer = await socket.find(({ type }) => type === 'error');
      expect(answer).toEqual({
        type: 'error',
        ...(ref !== undefined && { ref }),
        error: expect.objectContaining({ code, message: expect.stringMatching(/\S{3}/) }),
      });
      expect(JSON.stringify(answer).length).toBeLessThan(3_000);
      const { id } = await client.sessions.create();
      expect(await socket.ask({ type: 'subscribe', sessionId: id })).toMatchObject({ type: 'ack' });
      expect((await client.sessions.list()).items.map((session) => session.id)).toEqual([id, ...before]);
    },
  );

  it('of bytes is answered with an error, and the socket lives', async () => {
    const { socket } = await openYardWithSocket();
    socket.ws.send(Buffer.from('{"type":"subscribe","ref":"r"}'));
    expect(await socket.find(({ type }) => type === 'error')).toMatchObject({
      error: { code: 'invalid_json' },
    });
    expect(await socket.ask({ type: 'subscribe' })).toMatchObject({ type: 'ack' });
  });

  it('just small enough is taken, and one byte more is not', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    const frame = (size: number) => {
      const empty = JSON.stringify({ ref: size, type: 'message', sessionId: id, content: '' });
      return empty.replace('""', `"${'x'.repeat(size - empty.length)}"`);
    };
    for (const size of [megabyte, megabyte + 1]) socket.ws.send(frame(size));
    const types = [megabyte, megabyte + 1].map(async (size) => {
      const { type } = await socket.find((one) => 'ref' in one && one.ref === size);
      return type;
    });
    expect(await Promise.all(types)).toEqual(['ack', 'error']);
  });

  it('that is far too large ends its own socket only', async () => {
    const { socket, open } = await openYardWithSocket({ payloadBytes: 3 * megabyte });
    const other = await open();
    socket.ws.send(' '.repeat(4 * megabyte));
    expect(await socket.ended).toMatchObject({ code: 1009 });
    expect(await other.ask({ type: 'subscribe' })).toMatchObject({ type: 'ack' });
  });
});

describe('what one socket may ask for', () => {
  it('a thousand subscriptions, of which each gets its own events; one more is refused', async () => {
    const { client, socket } = await openYardWithSocket();
    const created = await Promise.all(Array.from({ length: 1_001 }, () => client.sessions.create()));
    const ids = created.map(({ id }) => id);
    const answers = await Promise.all(ids.map((sessionId) => socket.ask({ type: 'subscribe', sessionId })));
    expect(answers.filter(({ type }) => type === 'ack')).toHaveLength(1_000);
    expect(answers.at(-1)).toMatchObject({ type: 'error', error: { code: 'too_many_readers' } });
    expect(await socket.ask({ type: 'subscribe', sessionId: ids[0] })).toMatchObject({ type: 'ack' });
    await socket.ask({ type: 'unsubscribe', sessionId: ids[1] });
    expect(await socket.ask({ type: 'subscribe', sessionId: ids[1_000] })).toMatchObject({ type: 'ack' });
    const spoken = [ids[0], ids[500], ids[1_000]].flatMap((id) => id ?? []);
    for (const id of spoken) await client.sessions.send(id, id);
    const ends = () =>
      socket.frames.filter((one) => one.type === 'event' && one.event.type === 'turn_end').length;
    while (ends() < 3) await pause(5);
    const said = socket.frames.flatMap((one) =>
      one.type === 'event' && one.event.type === 'user_message' ? [one.event.data.content] : [],
    );
    expect(said.sort()).toEqual(spoken.sort());
  });

  it('a flood of requests is answered whole, a few at a time', async () => {
    const { client, socket } = await openYardWithSocket({ requests: 4 });
    const { id } = await client.sessions.create();
    const asked = Array.from({ length: 2_000 }, (_, ref) => ({ type: 'interrupt', sessionId: id, ref }));
    for (const frame of asked) socket.send(frame);
    while (socket.frames.length < asked.length) await pause(10);
    expect(socket.frames.map((frame) => 'ref' in frame && frame.ref)).toEqual(asked.map(({ ref }) => ref));
  });

  it('a flood of rubbish to which nobody listens is read no further than its answers go', async () => {
    const { yard, client } = await openYardWithSocket({ waitingBytes: 16_384 });
    const { port } = await listenAt(yard);
    const line = await openLine(port);
    line.write(
      `GET /api/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${yard.token}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(line, 'data');
    line.pause();
    // A text frame of 1,000 letters, masked with zeros.
    const head = Buffer.from([0x81, 0xfe, 1_000 >> 8, 1_000 & 0xff, 0, 0, 0, 0]);
    const rubbish = Buffer.concat(
      Array.from({ length: 64 }, () => Buffer.concat([head, Buffer.alloc(1_000, 'x')])),
    );
    // Its answers fill what the system keeps for a reader, and from then on nothing more is read.
    let isStuck = false;
    while (!isStuck) {
      if (line.write(rubbish)) continue;
      const drained = new Promise<boolean>((resolve) => line.once('drain', () => resolve(false)));
      isStuck = await Promise.race([drained, pause(1_000).then(() => true)]);
    }
    expect(await client.health()).toMatchObject({ ok: true });
  });

  it('a socket too many is refused', async () => {
    const { open } = await openYardWithSocket({ sockets: 2 });
    const second = await open();
    await expect(open()).rejects.toThrow('429');
    second.ws.close();
    await second.ended;
    // The server hears of the end a moment later.
    const third = await vi.waitFor(() => open(), { timeout: 15_000, interval: 5 });
    expect(await third.ask({ type: 'subscribe' })).toMatchObject({ type: 'ack' });
  });
});

describe('answers over a socket', () => {
  it('P3, A8: of many at once to one approval exactly one wins, and the losers hear who won', async () => {
    const { yard, ran } = await openLedgerYard();
    const { open } = await listenAt(yard);
    const client = yard.client();
    const sockets = await Promise.all(
      Array.from({ length: 4 }, () => open({ headers: { 'x-toolyard-via': 'web' } })),
    );
    const { id } = await client.sessions.create();
    let allowed = 0;
    for (let round = 0; round < 25; round++) {
      const { turnId } = await client.sessions.send(id, `pay r${round}`);
      const { id: approvalId } = await firstPending(yard);
      const answers = await Promise.all(
        sockets.map((socket, at) => {
          const decision = at % 2 === round % 2 ? 'allow' : 'deny';
          return socket.ask({ type: 'approval', approvalId, decision } satisfies ClientFrame);
        }),
      );
      const won = answers.filter(({ type }) => type === 'ack');
      expect(won).toHaveLength(1);
      const { approval } = Object(won[0]);
      expect(approval.decidedBy).toEqual({ kind: 'person', id: 'owner', via: 'web' });
      for (const lost of answers.filter(({ type }) => type === 'error')) {
        expect(lost).toMatchObject({ error: { code: 'already_answered', data: { state: approval.state } } });
      }
      if (approval.state === 'allowed') allowed++;
      for await (const event of client.sessions.events(id)) {
        if (event.type === 'turn_end' && event.data.turnId === turnId) break;
      }
    }
    expect(ran).toHaveLength(allowed);
    expect((await client.approvals.list({ state: 'pending' })).items).toEqual([]);
  }, 60_000);

  it('A10: another’s id answers nothing else, and a scope counts', async () => {
    const { yard } = await openLedgerYard();
    const { open } = await listenAt(yard);
    const client = yard.client();
    const socket = await open();
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'look a');
    const [approval] = await pendingOf(yard);
    const answer = { type: 'approval', approvalId: approval?.id, decision: 'allow', scope: 'session' };
    expect(await socket.ask({ ...answer, approvalId: `apr_${'0'.repeat(22)}` })).toMatchObject({
      error: { code: 'approval_not_found' },
    });
    expect(await socket.ask(answer)).toMatchObject({ approval: { state: 'allowed', scope: 'session' } });
    expect((await client.grants.list()).items).toHaveLength(1);
  });
});
