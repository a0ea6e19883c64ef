// Bad input and a provider that says no, by `run`, over HTTP and over the socket: the same code and sentence everywhere,
// and each sentence says what to do.
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Content, type Failure, ToolyardError } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openYard, type Yard } from '../../src/app.ts';
import { startCommand } from '../cli/in-process.ts';
import { openSocket } from '../http/raw-socket.ts';
import { image, pdf, png } from '../support/images.ts';
import { quiet } from '../support/yard.ts';

const megabyte = 1024 * 1024;

/** What a provider says to requests for a model, as Anthropic writes it. */
const refusals: Record<string, [status: number, type: string, message: string]> = {
  'wrong-key': [401, 'authentication_error', 'invalid x-api-key'],
  poor: [402, 'billing_error', 'Your credit balance is too low'],
  'claude-opus-5-6': [404, 'not_found_error', 'model: claude-opus-5-6'],
  short: [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  blind: [400, 'invalid_request_error', 'image dimensions exceed max allowed size: 8000 pixels'],
};

const provider = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const [status, type, message] = refusals[JSON.parse(body).model] ?? [500, 'api_error', 'unexpected'];
  const error = JSON.stringify({ type: 'error', error: { type, message } });
  response.writeHead(status, { 'content-type': 'application/json' }).end(error);
});

let yard: Yard;
let port = 0;
let home = '';
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port: at } = provider.address() as AddressInfo;
  home = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-bad-input-')));
  await mkdir(join(home, 'yard'));
  await writeFile(
    join(home, 'yard', 'config.yaml'),
    `defaults: { engine: native }\nproviders:\n  local: { type: openai-compatible, baseUrl: "http://127.0.0.1:${at}/v1" }\n`,
  );
  env = {
    HOME: '/nobody',
    ANTHROPIC_API_KEY: 'a-key',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${at}`,
  };
  yard = await openYard({ home: join(home, 'yard'), env, workspace: home, logger: quiet });
  port = (await yard.listen({ host: '127.0.0.1', port: 0 })).port;
  const files = { 'large.png': png(5 * megabyte + 1), 'wrong.png': pdf(), 'dot.gif': image('image/gif') };
  for (const [name, { data }] of Object.entries({ ...files, 'dot.png': png(100), 'report.pdf': pdf() }))
    await writeFile(join(home, name), Buffer.from(data, 'base64'));
  await writeFile(join(home, 'program.bin'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]));
});
afterAll(async () => {
  await yard.close();
  provider.closeAllConnections();
  provider.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

type Answer = Pick<Failure, 'code' | 'message'> | undefined;

const toAnswer = ({ code, message }: Failure): Answer => ({ code, message });

async function orRefused<T>(work: () => Promise<T>): Promise<T | { refused: Answer }> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ToolyardError) return { refused: toAnswer(thrown.toFailure()) };
    throw thrown;
  }
}

/** What becomes of a message, refused at once or by its turn. */
async function byHttp(model: string, content: Content): Promise<Answer> {
  const client = yard.client();
  const opened = await orRefused(() => client.sessions.create({ model }));
  if ('refused' in opened) return opened.refused;
  const sent = await orRefused(() => client.sessions.send(opened.id, content));
  if ('refused' in sent) return sent.refused;
  for await (const event of client.sessions.events(opened.id))
    if (event.type === 'turn_end') return event.data.error && toAnswer(event.data.error);
  return undefined;
}

async function bySocket(model: string, content: Content): Promise<Answer> {
  const { id: sessionId } = await yard.client().sessions.create({ model });
  const socket = await openSocket({ port, token: yard.token });
  await socket.ask({ type: 'subscribe', sessionId });
  const answer = await socket.ask({ type: 'message', sessionId, content });
  if (answer.type === 'error') return toAnswer(answer.error);
  const end = await socket.find((frame) => frame.type === 'event' && frame.event.type === 'turn_end');
  const event = end.type === 'event' ? end.event : undefined;
  return event?.type === 'turn_end' && event.data.error ? toAnswer(event.data.error) : undefined;
}

async function byRun(
  model: string,
  attached: readonly string[],
): Promise<{ code: number | null; said: string }> {
  const argv = ['run', '--model', model, ...attached, 'look'];
  const command = startCommand(argv, { TOOLYARD_HOME: join(home, 'yard'), INIT_CWD: home, NO_COLOR: '1' });
  const { code, stderr } = await command.finished;
  const [, said = ''] = /^(?:error:|✗) (.*?)(?: \([a-z_]+\))?$/m.exec(stderr) ?? [];
  return { code, said };
}

const words = { type: 'text' as const, text: 'look' };

interface Refused {
  model: string;
  code: string;
  attached?: string[];
  part?: ReturnType<typeof png>;
}

interface Unsendable {
  part: object;
  attached: string[];
  /** More than a frame may hold. */
  isLarge?: true;
}

describe('a provider that says no', () => {
  it.each<[string, Refused, string]>([
    [
      '401',
      { model: 'anthropic/wrong-key', code: 'provider_auth' },
      'The model’s provider refused the credentials (401: invalid x-api-key). Check ANTHROPIC_API_KEY, then retry the turn.',
    ],
    [
      '402',
      { model: 'anthropic/poor', code: 'provider_auth' },
      'The account behind the credentials cannot pay (402: Your credit balance is too low). Add credit or use another account, key or model, then retry the turn.',
    ],
    [
      '404, with the nearest model',
      { model: 'anthropic/claude-opus-5-6', code: 'unknown_model' },
      'The model’s provider does not know the model or the address (404: model: claude-opus-5-6). The model anthropic/claude-opus-5-6 may not exist. Did you mean "anthropic/claude-opus-5-5"? Choose another model (`toolyard models list`) or check ANTHROPIC_BASE_URL, then retry the turn.',
    ],
    [
      'that the context is too long',
      { model: 'anthropic/short', code: 'provider_rejected' },
      'The conversation no longer fits the model’s context window (prompt is too long: 210000 tokens > 200000 maximum). Send less at once, use a model with a larger window, or start a new session.',
    ],
    [
      'of an image with too many pixels',
      {
        model: 'anthropic/blind',
        code: 'provider_rejected',
        attached: ['--image', 'dot.png'],
        part: png(100),
      },
      'The model’s provider could not read the attachment (400: image dimensions exceed max allowed size: 8000 pixels). It is left out from now on. Send it smaller, in another format, or to a model that can read it.',
    ],
  ])('%s: one sentence by run, HTTP and socket', async (_, { model, code, attached = [], part }, message) => {
    const content = part ? [part, words] : 'look';
    expect(await byHttp(model, content)).toEqual({ code, message });
    expect(await bySocket(model, content)).toEqual({ code, message });
    expect(await byRun(model, attached)).toEqual({ code: 1, said: message });
  });
});

describe('a model that does not exist', () => {
  const all = 'Write a model as provider/model. Providers: anthropic, openai, openai-chat, google, local.';
  it.each([
    [
      'an unknown provider',
      'antropic/claude-opus-5',
      `There is no model "antropic/claude-opus-5". Did you mean "anthropic/claude-opus-5"? ${all}`,
    ],
    [
      'no provider',
      'claude-opus-5',
      `There is no model "claude-opus-5". Did you mean "anthropic/claude-opus-5"? ${all}`,
    ],
    ['nothing like it', 'xyzzy/plugh', `There is no model "xyzzy/plugh". ${all}`],
  ])('%s: one sentence with the nearest, by run and HTTP', async (_, model, message) => {
    expect(await byHttp(model, 'look')).toEqual({ code: 'unknown_model', message });
    expect(await byRun(model, [])).toEqual({ code: 2, said: message });
    const { id } = await yard.client().sessions.create({});
    const changed = await orRefused(() => yard.client().sessions.change(id, { model }));
    expect(changed).toEqual({ refused: { code: 'unknown_model', message } });
  });
});

describe('what cannot be sent', () => {
  const model = 'anthropic/claude-opus-5';
  it.each<[string, Unsendable, string, RegExp]>([
    [
      'an image that is too large',
      { part: png(5 * megabyte + 1), isLarge: true, attached: ['--image', 'large.png'] },
      'content.0.data: the image has 5.1 MB; send one of at most 5 MB',
      /^--image: \S+large\.png has 5\.1 MB\. Send a file of at most 5 MB\.$/,
    ],
    [
      'an image of a wrong type',
      { part: { ...png(100), data: pdf().data }, attached: ['--image', 'wrong.png'] },
      'content.0.data: this is no image we know, not image/png',
      /^--image: wrong\.png is not a PNG, JPEG, GIF or WebP image\. Send text or a PDF with --file\.$/,
    ],
    [
      'a file that is a program',
      { part: { ...pdf(), mediaType: 'text/plain', data: 'f0VMRgAA' }, attached: ['--file', 'program.bin'] },
      'content.0.data: this is neither a PDF nor text in UTF-8; send it as one of these, or an image as an image',
      /^--file: program\.bin is not UTF-8 text, a PDF or an image\. Convert it to one of these\.$/,
    ],
  ])(
    '%s: one sentence by run, HTTP and socket',
    async (_, { part, attached, isLarge = false }, message, said) => {
      // Types would keep it from being sent.
      const content = [part, words] as Content;
      expect(await byHttp(model, content)).toEqual({ code: 'invalid_request', message });
      expect(await bySocket(model, content)).toEqual(
        isLarge
          ? {
              code: 'payload_too_large',
              message:
                'The frame is too large: the limit is 1 MB. Send a larger message to POST /api/sessions/:id/messages.',
            }
          : { code: 'invalid_request', message },
      );
      expect(await byRun(model, attached)).toEqual({ code: 2, said: expect.stringMatching(said) });
    },
  );

  it('a PDF to a model that takes none: one sentence that names who does', async () => {
    const message =
      'local/llama cannot read report.pdf: it does not accept PDF. Use a model of anthropic, openai, openai-chat or google, or send its text.';
    expect(await byHttp('local/llama', [pdf(), words])).toEqual({ code: 'invalid_request', message });
    expect(await bySocket('local/llama', [pdf(), words])).toEqual({ code: 'invalid_request', message });
    expect(await byRun('local/llama', ['--file', 'report.pdf'])).toEqual({ code: 1, said: message });
  });
});
