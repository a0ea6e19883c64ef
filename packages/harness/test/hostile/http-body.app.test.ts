// Bodies: what is not exactly one readable JSON value of the right shape is refused fast, in words, with no effect.
import { describe, expect, it } from 'vitest';
import { processorMs } from '../support/processor-time.ts';
import { isEndOf, readUntil } from '../support/yard.ts';
import { shareTarget } from './http-target.ts';

const openTarget = shareTarget();

async function openBodies() {
  const target = await openTarget();
  const headers = { ...target.bearer, 'content-type': 'application/json' };
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    path = `/api/sessions/${target.id}/messages`,
  ) => {
    const response = await target.request(path, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };
  return { ...target, post };
}

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

describe('H8: a body that is no good JSON', () => {
  it.each([
    ['not JSON', 'hello', 'invalid_json'],
    ['half of it', '{"content":"hi"', 'invalid_json'],
    ['two values', '{"content":"a"}{"content":"b"}', 'invalid_json'],
    ['a comment', '{"content":"a"} // b', 'invalid_json'],
    ['a line break in a string', '{"content":"a\nb"}', 'invalid_json'],
    ['100,000 arrays deep', nested(100_000, '[', ']'), 'invalid_json'],
    ['100,000 arrays deep and open', '['.repeat(100_000), 'invalid_json'],
    ['100,000 objects deep', `${nested(100_000, '{"content":', '}').replace(':}', ':1}')}`, 'invalid_json'],
    [
      'deep after a string of brackets',
      `{"content":"]]]\\"]]]","x":${nested(100_000, '[', ']')}}`,
      'invalid_json',
    ],
    ['deep in the right place', `{"content":${nested(1_000_000, '[', ']')}}`, 'invalid_json'],
    ['a byte that is no UTF-8', bytes('{"content":"', [0xff], '"}'), 'invalid_json'],
    ['UTF-8 cut in a character', bytes('{"content":"', [0xf0, 0x9f, 0x98], '"}'), 'invalid_json'],
    ['an overlong encoding', bytes('{"content":"', [0xc0, 0xaf], '"}'), 'invalid_json'],
    ['an encoded half surrogate', bytes('{"content":"', [0xed, 0xa0, 0x80], '"}'), 'invalid_json'],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff{"content":"hi"}', 'utf16le')), 'invalid_json'],
    ['gzip', bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'invalid_json'],
    ['a prototype', '{"content":"a","__proto__":{"polluted":true}}', 'invalid_json'],
    ['an escaped prototype', '{"content":"a","\\u005f_proto__":{"polluted":true}}', 'invalid_json'],
    ['a prototype in a list', '{"content":[{"type":"text","text":"a","__proto__":{}}]}', 'invalid_json'],
    ['a constructor', '{"content":"a","constructor":{"prototype":{"polluted":true}}}', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['a list', '[]', 'invalid_request'],
    ['a string', '"content"', 'invalid_request'],
  ])('H8: %s is refused within a second', async (_, body, code) => {
    const { post, facts } = await openBodies();
    const before = await facts();
    const started = processorMs();
    const answer = await post(body);
    expect(processorMs() - started).toBeLessThan(1_000);
    expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
    expect(await facts()).toEqual(before);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['/messages', '{}', 'content'],
    ['/messages', '{"content":""}', 'content'],
    ['/messages', '{"content":null}', 'content'],
    ['/messages', '{"content":1e999}', 'content'],
    ['/messages', '{"content":123456789012345678901234567890}', 'content'],
    ['/messages', '{"content":true}', 'content'],
    ['/messages', '{"content":[]}', 'content'],
    ['/messages', '{"content":["hi"]}', 'content'],
    ['/messages', '{"content":{"length":1,"0":"hi"}}', 'content'],
    ['/messages', '{"content":[{"type":"text","text":5}]}', 'content'],
    ['/messages', '{"content":[{"type":"image","url":"file:///etc/passwd"}]}', 'content'],
    ['/messages', '{"content":"hi","extra":1}', 'extra'],
    ['/interrupt', '{"force":true}', 'force'],
    ['/retry', '{"turnId":"x"}', 'turnId'],
  ])('H8: %s %s is refused and names what is wrong', async (action, body, field) => {
    const { post, id, facts } = await openBodies();
    const before = await facts();
    const answer = await post(body, `/api/sessions/${id}${action}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(answer.body.error.message).toContain(field);
    expect(await facts()).toEqual(before);
  });

  it('H8: a hundred thousand unknown keys get a short answer', async () => {
    const { post } = await openBodies();
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`);
    const answer = await post(`{${keys.join()}}`);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
  });
});

describe('H8: content that is odd but a person’s own', () => {
  const odd = {
    'a NUL': 'a\0b',
    'half a surrogate pair': 'a\ud800b',
    'both halves in the wrong order': '\udc00\ud800',
    'line separators and a carriage return': 'a\u2028b\u2029c\rd\r\ne\n\nf',
    'what looks like an event stream': 'x\n\nid: 99\nevent: turn_end\ndata: {}\n\n',
    'control characters': '\u001b[2J\u001b]52;c;eA==\u0007\b\u007f',
    'bidi and zero-width marks': '\u202eabc\u200b\ufeff',
    'a megabyte': `${'0123456789abcdé'.repeat(65_536)}🌍`,
    'the key of a prototype': '{"__proto__":1}',
  };

  it.each(Object.entries(odd))('H8: %s comes back as it was sent', async (_, content) => {
    const { yard, post, id } = await openBodies();
    const { status, body } = await post(JSON.stringify({ content }));
    expect(status).toBe(202);
    const events = await readUntil(yard, id, isEndOf(body.turnId));
    const messages = events.filter(({ type }) => type === 'user_message');
    expect(messages.map(({ data }) => data)).toEqual([{ content, turnId: body.turnId }]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    const { title } = await yard.client().sessions.get(id);
    expect(title.isWellFormed() && !/\p{Cc}/u.test(title) && title.length <= 80).toBe(true);
  });

  it('H8: a byte order mark before the JSON is not part of it', async () => {
    const { post } = await openBodies();
    expect((await post(bytes([0xef, 0xbb, 0xbf], '{"content":"hi"}'))).status).toBe(202);
  });

  it('H8: of a key that stands twice the last counts, once', async () => {
    const { yard, post, id } = await openBodies();
    const { body } = await post('{"content":"first","content":"second"}');
    const events = await readUntil(yard, id, isEndOf(body.turnId));
    const messages = events.filter(({ type }) => type === 'user_message');
    expect(messages.map(({ data }) => data)).toEqual([{ content: 'second', turnId: body.turnId }]);
  });
});
