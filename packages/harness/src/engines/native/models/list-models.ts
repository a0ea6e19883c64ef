// Asks a provider which models it has, the way its type is asked. Bounded in time and size; rejects when it does not say.
import type { ModelAccess } from '@toolyard/sdk';
import { z } from 'zod';

const timeoutMs = 3_000;
const maxBytes = 1_048_576;
const maxModels = 500;
/** What a server answers that has no such list, as many gateways have none. */
const noListStatuses = new Set([404, 405, 501]);

const Id = z.string().min(1).max(200);
const Served = z.union([
  z.object({ data: z.array(z.object({ id: Id })) }).transform(({ data }) => data.map(({ id }) => id)),
  // As Google has it.
  z
    .object({ models: z.array(z.object({ name: Id })) })
    .transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ''))),
]);

/** Nothing: somebody answers there, and has no list. */
export async function listServedModels(access: ModelAccess): Promise<string[] | undefined> {
  const { path, headers } = toRequest(access);
  const response = await fetch(`${access.baseUrl.replace(/\/+$/, '')}${path}`, {
    headers: { accept: 'application/json', ...headers },
    // A redirect would carry the key to wherever it points.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    if (noListStatuses.has(response.status)) return undefined;
    throw new Error(`status ${response.status}`);
  }
  return Served.parse(JSON.parse(await readText(response))).slice(0, maxModels);
}

function toRequest({ type, apiKey, authToken }: ModelAccess): {
  path: string;
  headers: Record<string, string>;
} {
  if (type === 'anthropic') {
    const key: Record<string, string> = authToken
      ? { authorization: `Bearer ${authToken}` }
      : { 'x-api-key': apiKey ?? '' };
    return { path: '/v1/models?limit=500', headers: { 'anthropic-version': '2023-06-01', ...key } };
  }
  if (type === 'google') return { path: '/models?pageSize=500', headers: { 'x-goog-api-key': apiKey ?? '' } };
  return { path: '/models', headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('the list is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
