// Asks a provider that speaks like OpenAI which models it has. Bounded in time and size; rejects when it does not say.
import type { ModelAccess } from '@toolyard/sdk';
import { z } from 'zod';

const withinMs = 3_000;
const mostBytes = 1_048_576;
const mostModels = 500;

const Served = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) });

export async function listServedModels({ baseUrl, apiKey }: ModelAccess): Promise<string[]> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
    headers: { accept: 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    // A redirect would carry the key to wherever it points.
    redirect: 'manual',
    signal: AbortSignal.timeout(withinMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const { data } = Served.parse(JSON.parse(await readText(response)));
  return data.slice(0, mostModels).map(({ id }) => id);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('the list is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
