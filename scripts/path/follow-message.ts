// Follows one message: from the page's composer to the model, and the answer back to the page.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@toolyard/sdk';
import { serveRehearsal } from '../../packages/harness/src/app.ts';
import type { Recorder, Stack, Trace } from './call-stacks.ts';
import { openPage } from './page.ts';
import { startServer } from './server.ts';

const question = 'the question 5d1c';
const answer = 'the answer 5d1c';

export async function followMessage({ start, stop }: Recorder): Promise<Stack[]> {
  await using model = await startModel();
  await using server = await startServer({
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'any' },
  });
  const client = createClient({ baseUrl: server.url, token: server.yard.token });
  const { id } = await client.sessions.create({ engine: 'native' });
  await using page = await openPage({
    server: server.url,
    link: (await client.createLoginLink()).url,
    sessionId: id,
    question,
    answer,
  });
  start();
  const { down, up } = await page.send();
  return [...down, ...findWay(stop()), ...up];
}

/** Of all that the server did meanwhile: what began where the message came in. */
function findWay(traces: readonly Trace[]): Stack[] {
  const entry = traces.find(({ text, stack }) => text.includes(question) && stack.length > 0)?.stack[0]?.file;
  const way = traces.filter(({ stack: [first] }) => first && first.file === entry);
  // Else the debugger has lost its thread, and the count would be too low.
  for (const stored of [question, answer, 'turn_end'])
    if (!way.some(({ text }) => text.includes(stored))) throw new Error(`No stack leads to "${stored}".`);
  return way.map(({ stack }) => stack);
}

async function startModel(): Promise<{ url: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-model-'));
  const scenarioPath = join(folder, 'scenario.json');
  // As slow as a model: what began the turn is stored before it answers.
  const rule = { pace: { initialDelayMs: 500 }, reply: [{ text: `This is ${answer}.` }] };
  await writeFile(scenarioPath, JSON.stringify({ rules: [rule] }));
  const { url, close } = await serveRehearsal({ scenarioPath });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}
