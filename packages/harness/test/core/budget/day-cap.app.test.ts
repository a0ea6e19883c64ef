// What all runs of a day may spend together, while many of them work.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openYard } from '../../../src/app.ts';
import { serveModel, textFrames, wireAndSilence } from '../../engines/native/model-server.ts';
import { workBeside } from '../../support/work.ts';
import { memoryDirectory, quiet } from '../../support/yard.ts';

const atWork = wireAndSilence(textFrames('Once upon').slice(0, 3).join(''));

/** So many sessions, each with a message on its way to a model that never comes to its end. */
async function begin(count: number, dailyUsd: number) {
  const model = await serveModel(atWork);
  onTestFinished(() => model[Symbol.asyncDispose]());
  const home = join(await memoryDirectory(), 'home');
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: model.url };
  const yard = await openYard({
    home,
    env,
    workspace: workBeside(home),
    logger: quiet,
    overlay: { limits: { dailyUsd } },
  });
  onTestFinished(() => yard.close());
  const { sessions } = yard.client();
  for (let begun = 0; begun < count; begun++) {
    const { id } = await sessions.create({ engine: 'native', model: 'anthropic/claude-sonnet-4-5' });
    await sessions.send(id, 'hi');
  }
  return { asked: () => model.requests.length };
}

it('P11: sessions with long answers keep no other waiting for what they might cost', async () => {
  const { asked } = await begin(50, 5);
  await expect.poll(asked).toBe(50);
});

it('P8: when all that is left is likely to be spent by others, the next one waits', async () => {
  const { asked } = await begin(5, 0.2);
  await expect.poll(asked).toBeGreaterThan(1);
  expect(asked()).toBeLessThan(5);
});
