import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listServedModels } from '../../../../src/engines/native/models/list-models.ts';
import { accessTo } from '../native-turn.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const list = (baseUrl: string, apiKey = 'a-key') =>
  listServedModels(accessTo({ type: 'openai-compatible', baseUrl, apiKey })('local/x'));
const json =
  (value: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

describe('the models a server says it has', () => {
  it('are asked for at /models, with the key if there is one', async () => {
    const asked: unknown[] = [];
    const url = await serve((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      json({ object: 'list', data: [{ id: 'llama3:8b', owned_by: 'x' }, { id: 'org/qwen' }] })(
        request,
        response,
      );
    });
    expect(await list(`${url}/`)).toEqual(['llama3:8b', 'org/qwen']);
    await list(url, '');
    expect(asked).toEqual([
      ['/v1/models', 'Bearer a-key'],
      ['/v1/models', undefined],
    ]);
  });

  it.each([
    ['anthropic', { apiKey: 'a-key' }, '/v1/v1/models?limit=500', { 'x-api-key': 'a-key' }],
    [
      'anthropic',
      { authToken: 'a-token' },
      '/v1/v1/models?limit=500',
      { authorization: 'Bearer a-token', 'anthropic-version': '2023-06-01' },
    ],
    ['google', { apiKey: 'a-key' }, '/v1/models?pageSize=500', { 'x-goog-api-key': 'a-key' }],
    ['openai', { apiKey: 'a-key' }, '/v1/models', { authorization: 'Bearer a-key' }],
  ] as const)('are asked for as %s wants it, with %o', async (type, keys, path, headers) => {
    const asked: unknown[] = [];
    const url = await serve((request, response) => {
      asked.push({ url: request.url, headers: request.headers });
      const models = [{ name: 'models/gemini-x' }, { name: 'other' }];
      json(type === 'google' ? { models } : { data: [{ id: 'gemini-x' }, { id: 'other' }] })(
        request,
        response,
      );
    });
    const access = accessTo({ type, baseUrl: url, apiKey: '', ...keys })('local/x');
    expect(await listServedModels(access)).toEqual(['gemini-x', 'other']);
    expect(asked).toEqual([{ url: path, headers: expect.objectContaining(headers) }]);
  });

  it.each([404, 405, 501])('are not known where a server answers that it has no list: %i', async (status) => {
    expect(await list(await serve((_, response) => response.writeHead(status).end('{}')))).toBeUndefined();
  });

  it('are at most 500', async () => {
    const data = Array.from({ length: 600 }, (_, at) => ({ id: `m${at}` }));
    expect((await list(await serve(json({ data }))))?.length).toBe(500);
  });

  it('are none when the answer is a redirect, which is not followed', async () => {
    const elsewhere = await serve(json({ data: [{ id: 'a-trap' }] }));
    const url = await serve((_, response) =>
      response.writeHead(307, { location: `${elsewhere}/models` }).end(),
    );
    await expect(list(url)).rejects.toThrow('307');
  });

  it.each<[string, RequestListener]>([
    ['a refusal', (_, response) => response.writeHead(401).end()],
    ['a page', (_, response) => response.end('<html>')],
    ['another shape', json({ models: ['a'] })],
    [
      'more than a megabyte',
      (_, response) => response.end(JSON.stringify({ data: [], x: 'x'.repeat(2_000_000) })),
    ],
  ])('are none when the answer is %s', async (_, answer) => {
    await expect(list(await serve(answer))).rejects.toThrow();
  });
});
