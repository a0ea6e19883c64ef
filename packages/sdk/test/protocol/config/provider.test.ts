import { describe, expect, it } from 'vitest';
import { Config } from '../../../src/index.ts';

describe('a provider of the configuration', () => {
  const parse = (local: unknown) => Config.safeParse({ providers: { local } });

  it.each([
    { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
    { type: 'openai-compatible', baseUrl: 'https://models.test', apiKeyEnv: 'MY_KEY', contextWindow: 32_768 },
    { type: 'openai-chat' },
    { type: 'anthropic', baseUrl: 'https://proxy.test', apiKeyEnv: 'PROXY_KEY' },
  ])('may be %j', (local) => {
    expect(parse(local).data?.providers).toEqual({ local });
  });

  it.each([
    [{ type: 'openai-compatible' }, /set baseUrl/],
    [{ type: 'openai', baseUrl: 'https://elsewhere.test' }, /set apiKeyEnv to the variable/],
    [{ type: 'ollama', baseUrl: 'http://x' }, /type/],
    [{ type: 'openai-compatible', baseUrl: 'ftp://x' }, /use an address/],
    [{ type: 'openai-compatible', baseUrl: 'http://x y' }, /use an address/],
    [{ type: 'openai-compatible', baseUrl: 'http://x?key=1' }, /use an address/],
    [{ type: 'openai-compatible', baseUrl: 'http://me:secret@x' }, /use an address/],
    [{ type: 'openai-compatible', baseUrl: 'http://x', apiKeyEnv: 'sk-123' }, /name an environment variable/],
    [{ type: 'openai-compatible', baseUrl: 'http://x', apiKey: 'sk-123' }, /apiKey/],
    [{ type: 'openai-compatible', baseUrl: 'http://x', contextWindow: 0 }, /contextWindow/],
  ])('may not be %j', (local, why) => {
    expect(JSON.stringify(parse(local).error?.issues)).toMatch(why);
  });

  it('has a name that is safe in the name of a model', () => {
    for (const name of ['Local', 'a/b', '', '1x', 'x'.repeat(33), 'constructor!'])
      expect([name, Config.safeParse({ providers: { [name]: { type: 'google' } } }).success]).toEqual([
        name,
        false,
      ]);
    expect(Config.safeParse({ providers: { constructor: { type: 'google' } } }).success).toBe(true);
  });
});
