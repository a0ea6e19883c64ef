import { Config, type ModelAccess } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createModels, type ModelsDeps } from '../../../src/core/models/models.ts';
import { createProviders, findDefaultModel, findOthers } from '../../../src/core/models/providers.ts';
import { image, pdf, textFile } from '../../support/images.ts';

const local = {
  type: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:11434/v1',
  contextWindow: 8_192,
} as const;

function open(deps: Partial<ModelsDeps> & { providers?: Config['providers'] } = {}) {
  const { providers: configured = {}, ...rest } = deps;
  return createModels({
    env: {},
    configured,
    clock: { now: () => Date.parse('2026-10-20') },
    hasClaudeLogin: false,
    listServed: async () => [],
    ...rest,
  });
}

describe('access to a model', () => {
  const keys = {
    ANTHROPIC_AUTH_TOKEN: 'a-token',
    OPENAI_API_KEY: 'o-key',
    OPENAI_BASE_URL: 'http://proxy/v1',
    GOOGLE_GENERATIVE_AI_API_KEY: 'g-key',
  };

  it('leaves out what stands around a key, such as the line break of its file', async () => {
    const env = { OPENAI_API_KEY: ' o-key\n', GEMINI_API_KEY: ' ', MINE: 'my-key\r\n' };
    const models = open({ env, providers: { own: { ...local, apiKeyEnv: 'MINE' } } });
    expect(await models.resolve('openai/gpt-6.1-sol')).toMatchObject({ apiKey: 'o-key' });
    expect(await models.resolve('own/x')).toMatchObject({ apiKey: 'my-key' });
    await expect(models.resolve('google/gemini-3.8-flash')).rejects.toMatchObject({ code: 'provider_auth' });
  });

  it('comes from the usual variables of its provider, with what we know of the model', async () => {
    const models = open({ env: keys });
    expect(await models.resolve('anthropic/claude-haiku-4-5')).toEqual({
      provider: 'anthropic',
      type: 'anthropic',
      model: 'claude-haiku-4-5',
      baseUrl: 'https://api.anthropic.com',
      authToken: 'a-token',
      window: 200_000,
      maxOutput: 64_000,
      settings: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
    } satisfies ModelAccess);
    expect(await models.resolve('openai/gpt-6.1-sol')).toMatchObject({
      type: 'openai',
      baseUrl: 'http://proxy/v1',
      apiKey: 'o-key',
    });
    expect(await models.resolve('openai-chat/gpt-6.1-sol')).toMatchObject({
      type: 'openai-chat',
      apiKey: 'o-key',
      window: 1_050_000,
    });
    expect(await models.resolve('google/gemini-3.8-flash')).toMatchObject({
      apiKey: 'g-key',
      settings: { key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
    });
  });

  it('without a key is one line that names the variable', async () => {
    const models = open();
    const lines: [string, string][] = [
      ['anthropic/claude-sonnet-5', 'Set ANTHROPIC_API_KEY'],
      ['openai/gpt-6-sol', 'Set OPENAI_API_KEY'],
      ['google/gemini-3.8-flash', 'Set GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY'],
    ];
    for (const [name, said] of lines) {
      const failure = await models.resolve(name).catch((thrown) => thrown);
      expect(failure).toMatchObject({ code: 'provider_auth', message: expect.stringContaining(said) });
      expect(failure.message).not.toContain('\n');
    }
  });

  it('by a login of Claude Code alone says which engine it serves', async () => {
    const models = open({ hasClaudeLogin: true });
    await expect(models.resolve('anthropic/claude-sonnet-5')).rejects.toThrow(/claude engine only/);
    expect((await models.list('anthropic')).every(({ usable }) => usable)).toBe(true);
  });

  it('to a configured provider needs no key unless one is named', async () => {
    const hosted = {
      type: 'openai-compatible',
      baseUrl: 'https://models.test/v1',
      apiKeyEnv: 'MY_KEY',
    } as const;
    const models = open({ env: { ...keys, MY_KEY: 'mine' }, providers: { local, hosted } });
    expect(await models.resolve('local/llama3:8b')).toEqual({
      provider: 'local',
      type: 'openai-compatible',
      model: 'llama3:8b',
      baseUrl: local.baseUrl,
      window: 8_192,
      settings: { key: 'providers.local.apiKeyEnv', address: 'providers.local.baseUrl' },
    });
    expect(await models.resolve('hosted/org/model')).toMatchObject({ model: 'org/model', apiKey: 'mine' });
    const keyless = open({ env: keys, providers: { hosted } });
    await expect(keyless.resolve('hosted/m')).rejects.toThrow(/No key for hosted was found. Set MY_KEY/);
  });

  it('never sends the usual key to an address of the configuration', async () => {
    const away = { type: 'openai', baseUrl: 'https://elsewhere.test/v1', apiKeyEnv: 'AWAY_KEY' } as const;
    const models = open({ env: { ...keys, AWAY_KEY: 'other' }, providers: { away, openai: away } });
    for (const name of ['away/m', 'openai/m'])
      expect(await models.resolve(name)).toMatchObject({ baseUrl: away.baseUrl, apiKey: 'other' });
    expect(() => Config.parse({ providers: { away: { type: 'openai', baseUrl: away.baseUrl } } })).toThrow(
      /set apiKeyEnv to the variable/,
    );
  });

  it('may make a built-in provider speak by another wire', async () => {
    const models = open({ env: keys, providers: { openai: { type: 'openai-chat' } } });
    expect(await models.resolve('openai/gpt-6-sol')).toMatchObject({
      type: 'openai-chat',
      apiKey: 'o-key',
      window: 1_050_000,
    });
  });

  it('is the scripted model’s for every provider while it rehearses, so that nobody else is called', async () => {
    const models = open({ env: keys, rehearsal: async () => 'http://127.0.0.1:9' });
    for (const name of ['anthropic/claude-sonnet-5', 'openai/gpt-6-sol', 'google/gemini-3.8-flash'])
      expect(await models.resolve(name)).toMatchObject({
        type: 'anthropic',
        baseUrl: 'http://127.0.0.1:9',
        apiKey: 'rehearsal',
      });
  });
});

describe('a model that nobody serves', () => {
  it.each([
    ['opnai/gpt-6-sol', 'openai/gpt-6-sol'],
    ['gpt-6-sol', 'openai/gpt-6-sol'],
    ['claude-sonet-5', 'anthropic/claude-sonnet-5'],
    ['gemini/gemini-3.8-flash', 'google/gemini-3.8-flash'],
    ['locl/anything', 'local/anything'],
    ['openai/', undefined],
    ['', undefined],
    ['__proto__/x', undefined],
  ])('%s is refused, with the nearest: %s', (name, meant) => {
    const models = open({ providers: { local } });
    const said = () => models.check(name);
    expect(said).toThrow(expect.objectContaining({ code: 'unknown_model' }));
    expect(said).toThrow(/Providers: anthropic, openai, openai-chat, google, local/);
    if (meant) expect(said).toThrow(`Did you mean "${meant}"?`);
  });

  it('of a provider that exists is left to the provider, with a hint for when it says no', async () => {
    const models = open({ env: { OPENAI_API_KEY: 'o-key' } });
    models.check('openai/gpt-6-soll');
    expect((await models.resolve('openai/gpt-6-soll')).hint).toBe('Did you mean "openai/gpt-6-sol"?');
    expect((await models.resolve('openai/gpt-6-sol')).hint).toBeUndefined();
  });

  it('of a provider that exists is doubted beforehand, when we know one like it', () => {
    const models = open({ providers: { local } });
    const said = (name: string) => models.warningFor(name)?.replace(/\d{4}-\d\d-\d\d/, 'DAY');
    expect(said('anthropic/claude-sonet-5')).toBe(
      'The model list of DAY does not contain anthropic/claude-sonet-5. Did you mean "anthropic/claude-sonnet-5"?',
    );
    expect(said('openai/gpt-9')).toMatch(/Did you mean "openai\/gpt-/);
    const known = [
      'anthropic/claude-sonnet-5',
      'anthropic/claude-haiku-4-5-20251001',
      'openai/gpt-6-sol-latest',
    ];
    for (const name of [...known, 'local/anything', 'sonnet', 'openai/quite-another-thing', 'nobody/x'])
      expect(said(name)).toBeUndefined();
  });
});

describe('the list of models', () => {
  it('has window and price, what is usable, and why the rest is not', async () => {
    const items = await open({ env: { OPENAI_API_KEY: 'o-key' } }).list();
    expect(items.find(({ name }) => name === 'openai/gpt-6.1-sol')).toEqual({
      name: 'openai/gpt-6.1-sol',
      provider: 'openai',
      id: 'gpt-6.1-sol',
      contextWindow: 1_050_000,
      price: expect.objectContaining({ input: 2, output: 10, cacheRead: 0.1 }),
      usable: true,
    });
    expect(items.find(({ provider }) => provider === 'google')).toMatchObject({
      usable: false,
      reason: expect.stringContaining('GEMINI_API_KEY'),
    });
    expect(items.find(({ name }) => name === 'google/gemini-3.5-flash')?.price).toBeNull();
    expect(new Set(items.map(({ name }) => name)).size).toBe(items.length);
    expect(items.some(({ provider }) => provider === 'openai-chat')).toBe(false);
  });

  it('asks a configured server what it has, and says so when nobody answers', async () => {
    const served = await open({ providers: { local }, listServed: async () => ['llama3', 'qwen'] }).list(
      'local',
    );
    expect(served).toEqual(
      ['llama3', 'qwen'].map((id) => ({
        name: `local/${id}`,
        provider: 'local',
        id,
        contextWindow: 8_192,
        price: null,
        usable: true,
      })),
    );
    const silent = open({ providers: { local }, listServed: () => Promise.reject(new Error('refused')) });
    expect(await silent.list('local')).toEqual([
      expect.objectContaining({ usable: false, reason: expect.stringContaining('127.0.0.1:11434') }),
    ]);
  });

  it('does not call a server unusable that has no list', async () => {
    const listless = open({ providers: { local }, listServed: async () => undefined });
    expect(await listless.list('local')).toEqual([
      expect.objectContaining({
        name: 'local/*',
        usable: true,
        reason: expect.stringMatching(/has no list of models. Name one yourself, as local\/MODEL\./),
      }),
    ]);
  });

  it('of a provider that does not exist is refused with the nearest', async () => {
    await expect(open().list('gogle')).rejects.toThrow(
      'There is no provider "gogle". Did you mean "google"?',
    );
  });
});

describe('a person without access to Anthropic', () => {
  const usual = (env: NodeJS.ProcessEnv, providers: Config['providers'] = {}) => {
    const others = findOthers(createProviders(env, providers));
    return [others.map(({ name }) => name), findDefaultModel(others)];
  };

  it('has the models of whoever they have a key for, or have configured', () => {
    expect(usual({})).toEqual([[], undefined]);
    expect(usual({ OPENAI_API_KEY: 'k' })).toEqual([['openai'], 'openai/gpt-6.1-sol']);
    expect(usual({ GEMINI_API_KEY: 'k' })).toEqual([['google'], 'google/gemini-3.8-flash']);
    expect(usual({}, { local })).toEqual([['local'], undefined]);
  });
});

describe('what a message holds', () => {
  const models = open({ providers: { local } });
  const words = { type: 'text' as const, text: 'look' };

  it('is words and pictures for any model, and a PDF for those that read one', () => {
    for (const name of ['local/llama', 'anthropic/claude-haiku-4-5', 'sonnet'])
      expect(() => models.checkContent(name, [image('image/png'), textFile('a'), words])).not.toThrow();
    for (const name of ['openai/gpt-6.1-sol', 'openai-chat/gpt-6.1-sol', 'google/gemini-3.8-flash', 'sonnet'])
      expect(() => models.checkContent(name, [pdf(), words])).not.toThrow();
  });

  it.each([
    [
      'local/llama',
      pdf(),
      'local/llama cannot read report.pdf: it does not accept PDF. Use a model of anthropic, openai, openai-chat or google, or send its text.',
    ],
    [
      'google/gemini-3.8-flash',
      image('image/gif'),
      'google/gemini-3.8-flash cannot read this image: it does not accept image/gif. Use a model of anthropic, openai, openai-chat or local, or send it as PNG, JPEG or WebP.',
    ],
  ])('is refused for %s in one sentence that names who can', (name, part, message) => {
    expect(() => models.checkContent(name, [words, part])).toThrow(
      expect.objectContaining({ code: 'invalid_request', message }),
    );
  });
});
