// Images and files over HTTP: they come back as they were sent, wrong ones are refused in words, and only messages may be this large.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyRoute, routes } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openYard, type Yard } from '../../../src/app.ts';
import { pdf, png, textFile } from '../../support/images.ts';
import { converse, openTestYard, quiet } from '../../support/yard.ts';

const megabyte = 1024 * 1024;

async function openPost() {
  return toPost(await openTestYard());
}

async function toPost(yard: Yard) {
  const { id } = await yard.client().sessions.create();
  const headers = { authorization: `Bearer ${yard.token}`, 'content-type': 'application/json' };
  const post = async (body: string, path = `/api/sessions/${id}/messages`, method = 'POST') => {
    const response = await yard.fetch(new Request(`http://127.0.0.1${path}`, { method, headers, body }));
    return { status: response.status, body: await response.json() };
  };
  return { yard, id, post };
}

describe('an image in a message', () => {
  it('is in the log as it was sent, and names the session', async () => {
    const { yard, id } = await openPost();
    const content = [png(12_000), { type: 'text' as const, text: 'what is this?' }];
    const events = await converse(yard, id, content);
    expect(events.filter(({ type }) => type === 'user_message').map(({ data }) => data)).toEqual([
      { content, turnId: expect.any(String) },
    ]);
    expect(await yard.client().sessions.get(id)).toMatchObject({ title: '[image] what is this?' });
  });

  it('may have 5 MB', async () => {
    const { yard, id } = await openPost();
    const content = [png(5 * megabyte)];
    expect((await converse(yard, id, content)).at(-1)).toMatchObject({ data: { outcome: 'completed' } });
  });

  it.each([
    [
      'more than 5 MB',
      [png(5 * megabyte + 1)],
      'content.0.data: the image has 5.1 MB; send one of at most 5 MB',
    ],
    [
      'another kind than it says',
      [{ ...png(100), mediaType: 'image/gif' }],
      'content.0.data: this is image/png, not image/gif',
    ],
    [
      'no base64',
      [{ ...png(100), data: 'not base64!' }],
      'content.0.data: an image is written in base64, with padding and without line breaks',
    ],
    [
      'a kind we do not take',
      [{ ...png(100), mediaType: 'image/bmp' }],
      'content: part 0.mediaType: an image is image/png, image/jpeg, image/gif, image/webp',
    ],
  ])('with %s is refused in one sentence', async (_, content, message) => {
    const { yard, id, post } = await openPost();
    expect(await post(JSON.stringify({ content }))).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message } },
    });
    expect(await yard.client().sessions.get(id)).toMatchObject({ lastSeq: 0 });
  });
});

describe('a file in a message', () => {
  it('is in the log as it was sent, and names the session', async () => {
    const { yard, id } = await openPost();
    const content = [pdf(), textFile('# Notes'), { type: 'text' as const, text: 'what is new?' }];
    const events = await converse(yard, id, content);
    expect(events.filter(({ type }) => type === 'user_message').map(({ data }) => data)).toEqual([
      { content, turnId: expect.any(String) },
    ]);
    expect(await yard.client().sessions.get(id)).toMatchObject({
      title: '[file report.pdf] [file notes.md] what is new?',
    });
  });

  it('that is no such file is refused in one sentence, and nothing is stored', async () => {
    const { yard, id, post } = await openPost();
    const content = [{ ...pdf(), mediaType: 'text/plain' }];
    expect(await post(JSON.stringify({ content }))).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid_request',
          message: 'content.0.data: this is application/pdf, not text/plain',
        },
      },
    });
    expect(await yard.client().sessions.get(id)).toMatchObject({ lastSeq: 0 });
  });
});

describe('H8: the size of a body', () => {
  /** Nothing of what is sent here is taken, so one yard will do. */
  let shared: Awaited<ReturnType<typeof toPost>>;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolyard-bodies-'));
    const engine = createScriptedEngine();
    const home = join(folder, 'home');
    shared = await toPost(await openYard({ home, env: {}, workspace: folder, logger: quiet, engine }));
  });
  afterAll(async () => {
    await shared.yard.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('may be 8 MB for a message and not one byte more', async () => {
    const { post } = await openPost();
    const frame = '{"content":""}'.length;
    expect((await post(`{"content":"${'x'.repeat(8 * megabyte - frame)}"}`)).status).toBe(202);
    expect(await post(`{"content":"${'x'.repeat(8 * megabyte - frame + 1)}"}`)).toMatchObject({
      status: 413,
      body: { error: { message: 'The body is too large: the limit is 8 MB.' } },
    });
  });

  const others = Object.entries<AnyRoute>(routes).filter(
    ([name, { method }]) => name !== 'sendMessage' && method !== 'GET',
  );
  it.each(others.map(([name, { method, path }]) => ({ name, method, path })))(
    'is 4 MB for $name',
    async ({ method, path }) => {
      const { id, post } = shared;
      const own = path.includes('/agents/') ? `agt_${id.slice(4)}` : id;
      const at = path
        .replace(':id', own)
        .replace(':name', 'mcp__toolyard__ping')
        .replace(':slug', 'checkout');
      const answer = await post(`{"title":"${'x'.repeat(4 * megabyte)}"}`, at, method);
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    },
  );

  it('is 4 MB for /mcp', async () => {
    const { post } = shared;
    expect((await post(`{"x":"${'x'.repeat(4 * megabyte)}"}`, '/mcp')).body).toMatchObject({
      error: { message: expect.stringContaining('4 MB') },
    });
  });
});
