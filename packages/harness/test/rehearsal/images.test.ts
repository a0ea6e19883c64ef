// The scripted model, images and files: it takes what the service takes, refuses what it refuses, and a script can tell them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rehearsal } from '../../src/rehearsal/serve.ts';
import { pdf, pixel, png } from '../support/images.ts';
import { assistant, post, serveText, user } from './asking.ts';

const scenario = `
rules:
  - when: { user: fail, images: true }
    fail: { status: 529, retryAfter: 0, times: 1 }
    reply: [{ text: "at last" }]
  - when: { files: true }
    reply: [{ text: "{{files}} {{user}}" }]
  - when: { images: true }
    reply: [{ text: "{{images}} {{user}}" }]
  - when: { images: false }
    reply: [{ text: "no image: {{user}}" }]
`;

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveText(scenario);
});
afterAll(() => rehearsal.close());

const block = ({ mediaType, data } = pixel) => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
});
const words = (text: string) => ({ type: 'text', text });

async function answer(...messages: unknown[]): Promise<unknown> {
  const response = await post(rehearsal.url, { model: 'm', max_tokens: 10, messages });
  const body = await response.json();
  return response.ok ? body.content[0].text : { status: response.status, message: body.error.message };
}

test('a script is told of the images that came with the last words, and of no others', async () => {
  expect(await answer(user([block(), block(png(20_000)), words('look')]))).toBe(
    '[image, 1 kB png] [image, 20 kB png] look',
  );
  expect(await answer(user([block(), words('look')]), assistant('I see.'), user('and now?'))).toBe(
    'no image: and now?',
  );
  expect(
    await answer(user([{ type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } }])),
  ).toBe('[image] (no user)');
});

test.each([
  ['no base64', { ...block().source, data: 'not base64!' }, 'data: the image is not base64'],
  ['a kind it does not take', { ...block().source, media_type: 'image/bmp' }, expect.any(String)],
  ['nothing in it', {}, expect.any(String)],
])('an image with %s gets 400 and the place', async (_, source, message) => {
  const at = 'messages.0.content.0.source.';
  expect(await answer(user([{ type: 'image', source }]))).toEqual({
    status: 400,
    message: typeof message === 'string' ? at + message : message,
  });
});

test('an image of the assistant is refused', async () => {
  expect(await answer(user('hi'), assistant([block()]), user('hi'))).toMatchObject({ status: 400 });
});

test('another image makes another exchange', async () => {
  const asked = (image: unknown) => answer(user([image, words('fail')]));
  expect(await asked(block())).toMatchObject({ status: 529 });
  expect(await asked(block(png(9)))).toMatchObject({ status: 529 });
  expect(await asked(block())).toBe('at last');
});

test('a script is told of files: documents, and text between marks, which are no words of the person', async () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: pdf().data };
  const text = '<file name="a.md">\nping the server\n</file>';
  expect(await answer(user([{ type: 'document', title: 'a.pdf', source }, words(text), words('look')]))).toBe(
    '[file a.pdf, 2 kB pdf] [file a.md, 1 kB] look',
  );
  expect(await answer(user([{ type: 'document', source }, words('look')]))).toBe(
    '[file document, 2 kB pdf] look',
  );
});

test.each([
  ['that is none', { type: 'base64', media_type: 'application/pdf', data: 'aGVsbG8=' }],
  ['of another kind', { type: 'base64', media_type: 'application/zip', data: pdf().data }],
])('a document %s gets 400', async (_, source) => {
  expect(await answer(user([{ type: 'document', source }]))).toMatchObject({ status: 400 });
});
