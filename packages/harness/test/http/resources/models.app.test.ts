import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openYard, type Yard } from '../../../src/app.ts';
import { type DoubleWire, serveDouble } from '../../engines/native/wires/double.ts';
import { gemini } from '../../engines/native/wires/gemini.ts';
import { openaiLike } from '../../engines/native/wires/openai-chat.ts';
import { openaiResponses } from '../../engines/native/wires/openai-responses.ts';
import { workBeside } from '../../support/work.ts';
import { converse, quiet, temporaryDirectory } from '../../support/yard.ts';

/** A yard with the real engines, and nothing of the machine it runs on. */
async function open(env: NodeJS.ProcessEnv, config = '', rehearse = false): Promise<Yard> {
  const home = await temporaryDirectory();
  await mkdir(join(home, 'yard'), { recursive: true });
  await writeFile(join(home, 'yard', 'config.yaml'), config);
  const yard = await openYard({
    home: join(home, 'yard'),
    env: { HOME: home, ...env },
    workspace: workBeside(join(home, 'yard')),
    logger: quiet,
    rehearse,
  });
  onTestFinished(() => yard.close());
  return yard;
}

async function double(wire: DoubleWire) {
  const served = await serveDouble(wire);
  onTestFinished(() => served.close());
  return served;
}

function outline(events: readonly Event[]) {
  const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');
  const end = events.find((event) => event.type === 'turn_end');
  return { text, ...(end && { outcome: end.data.outcome, costUsd: end.data.costUsd }) };
}

describe('a session on a provider of the person’s own', () => {
  it('speaks with OpenAI, is priced, and knows how full its window is', async () => {
    const { url } = await double(openaiResponses);
    const yard = await open({ OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: url });
    // Nothing is said of a model or an engine: there is one key, so that provider's usual model is taken.
    const session = await yard.client().sessions.create({});
    expect([yard.rehearsing, session.model, session.engine]).toEqual([false, 'openai/gpt-6.1-sol', 'native']);
    const events = await converse(yard, session.id, 'conformance: text');
    expect(outline(events)).toEqual({
      text: 'Hello from the model.',
      outcome: 'completed',
      costUsd: expect.closeTo(0.0003, 2),
    });
    expect(outline(events).costUsd).toBeGreaterThan(0);
    const { window } = await yard.client().sessions.context(session.id);
    expect(window).toMatchObject({ windowTokens: 1_050_000 });
    expect(window?.usedTokens).toBeGreaterThan(0);
  });

  it('speaks with Google', async () => {
    const { url } = await double(gemini);
    const yard = await open({ GEMINI_API_KEY: 'a-key', GOOGLE_GENERATIVE_AI_BASE_URL: url });
    const { id } = await yard.client().sessions.create({ model: 'google/gemini-3.1-pro-preview' });
    expect(outline(await converse(yard, id, 'conformance: text'))).toMatchObject({ outcome: 'completed' });
  });

  it('speaks with a server of the configuration; what it costs is unknown, never nothing', async () => {
    const { url } = await double(openaiLike);
    const yard = await open({}, `providers:\n  local: { type: openai-compatible, baseUrl: "${url}" }\n`);
    const { id } = await yard.client().sessions.create({ model: 'local/llama' });
    expect(outline(await converse(yard, id, 'conformance: text'))).toEqual({
      text: 'Hello from the model.',
      outcome: 'completed',
      costUsd: null,
    });
    expect((await yard.client().sessions.get(id)).costUsd).toBeNull();
  });

  it('fails with one line that names the variable when there is no key', async () => {
    const yard = await open({ OPENAI_API_KEY: 'a-key' });
    const { id } = await yard.client().sessions.create({ model: 'google/gemini-3.8-flash' });
    const end = (await converse(yard, id, 'hi')).find((event) => event.type === 'turn_end');
    expect(end?.data.error).toEqual({
      code: 'provider_auth',
      message: expect.stringMatching(/^No key for Google was found\. Set GEMINI_API_KEY .*models list`\.$/),
    });
  });
});

describe('a rehearsal', () => {
  it('answers for every provider, whatever keys there are', async () => {
    const nobody = 'http://127.0.0.1:1/v1';
    const yard = await open({ OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: nobody }, '', true);
    const { id } = await yard.client().sessions.create({ model: 'openai/gpt-6-sol' });
    expect(outline(await converse(yard, id, 'hello'))).toMatchObject({ outcome: 'completed', costUsd: 0 });
  });
});

describe('naming a model', () => {
  it('that nobody serves is refused at once, with the nearest', async () => {
    const { sessions } = (await open({})).client();
    const refusal = { code: 'unknown_model', message: expect.stringContaining('"openai/gpt-6-sol"') };
    await expect(sessions.create({ model: 'opnai/gpt-6-sol' })).rejects.toMatchObject(refusal);
    const { id } = await sessions.create({ engine: 'native' });
    await expect(sessions.change(id, { model: 'gpt-6-sol' })).rejects.toMatchObject(refusal);
  });

  it('that the chosen engine cannot drive is refused with the one that can', async () => {
    const { sessions } = (await open({})).client();
    await expect(sessions.create({ engine: 'claude', model: 'openai/gpt-6-sol' })).rejects.toMatchObject({
      code: 'unknown_model',
      message: expect.stringContaining('engine native'),
    });
    expect((await sessions.create({ engine: 'claude', model: 'sonnet' })).model).toBe('sonnet');
  });

  it('answers 400 over HTTP', async () => {
    const yard = await open({});
    const request = new Request('http://127.0.0.1/api/sessions', {
      method: 'POST',
      headers: { authorization: `Bearer ${yard.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nobody/x' }),
    });
    expect((await yard.fetch(request)).status).toBe(400);
  });
});

describe('GET /api/models', () => {
  it('lists what there is, what it costs, and whether it can be used', async () => {
    const { url } = await double(openaiLike);
    const yard = await open(
      { OPENAI_API_KEY: 'a-key' },
      `providers:\n  local: { type: openai-compatible, baseUrl: "${url}", contextWindow: 32768 }\n`,
    );
    const { items, pricesAsOf } = await yard.client().models.list();
    expect(pricesAsOf).toMatch(/^20\d\d-/);
    expect(items.filter(({ usable }) => usable).map(({ provider }) => provider)).toContain('openai');
    expect(items.find(({ provider }) => provider === 'anthropic')).toMatchObject({
      usable: false,
      reason: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    // This double has no list of models to give.
    expect(items.find(({ provider }) => provider === 'local')).toMatchObject({
      usable: true,
      contextWindow: 32_768,
      price: null,
      reason: expect.stringContaining(url),
    });
  });

  it('of one provider, or refuses one that does not exist', async () => {
    const { models } = (await open({})).client();
    const { items } = await models.list({ provider: 'google' });
    expect(new Set(items.map(({ provider }) => provider))).toEqual(new Set(['google']));
    await expect(models.list({ provider: 'gogle' })).rejects.toMatchObject({
      code: 'unknown_model',
      message: expect.stringContaining('Did you mean "google"?'),
    });
  });
});
