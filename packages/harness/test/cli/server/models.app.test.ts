import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandYard, openCommandYard } from '../in-process.ts';

let commands: CommandYard;
beforeAll(async () => {
  const config = 'providers:\n  local: { type: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }\n';
  commands = await openCommandYard({ config });
});
afterAll(() => commands.close());

describe('models list', () => {
  it('is a table in which nothing unknown looks like nothing', async () => {
    const { code, stdout, stderr } = await commands.run('models', 'list');
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines[0]?.split(/ {2,}/)]).toEqual([
      0,
      ['MODEL', 'USABLE', 'WINDOW', 'INPUT', 'OUTPUT', 'CACHED', ''],
    ]);
    const find = (name: string) => lines.find((line) => line.startsWith(name))?.split(/ {2,}/);
    expect(find('anthropic/claude-sonnet-5 ')?.slice(1, 6)).toEqual(['no', '1M', '$2', '$10', '$0.2']);
    expect(find('openai/gpt-6-luna')?.at(-1)).toBe('higher above 272k');
    expect(find('google/gemini-3.5-flash ')?.slice(1, 6)).toEqual([
      ...['no', '1.05M', 'unknown', 'unknown', 'unknown'],
    ]);
    expect(find('local/*')?.slice(1, 4)).toEqual(['no', 'unknown', 'unknown']);
    expect(stderr).toMatch(
      /Set ANTHROPIC_API_KEY.*http:\/\/127\.0\.0\.1:1\/v1 did not return a list of models.*as of 20\d\d-/s,
    );
  });

  it('is JSON for programs, of one provider when asked', async () => {
    const { stdout } = await commands.run('models', 'list', '--provider', 'openai', '--json');
    const { items, pricesAsOf } = JSON.parse(stdout);
    expect(pricesAsOf).toMatch(/^20/);
    expect(items[0]).toMatchObject({
      provider: 'openai',
      usable: false,
      price: { above: { tokens: 272_000 } },
    });
  });

  it.each(['opena', 'open'])('suggests the provider that was meant by %s', async (name) => {
    const { code, stderr } = await commands.run('models', 'list', '--provider', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "openai"?')]);
  });
});
