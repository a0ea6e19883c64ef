// What the provider does wrong, as a person sees it: through the real CLI's own retries, to one plain sentence.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { callsOf, endOf, textOf } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;
beforeAll(async () => {
  server = await openClaudeServer({
    scenario: './claude-faults.yaml',
    toolkits: [desk.kit],
    config: 'claude: { spare: false, maxHot: 8 }\n',
  });
});
afterAll(() => server.close());

/** The faults come at the same time: most of it is the CLI waiting between its attempts. */
describe.concurrent('a provider', () => {
  test.each([
    ['wrong key', 'provider_auth', /401: Invalid API key.*Log in again.*ANTHROPIC_API_KEY.*--rehearse/],
    ['forbidden', 'provider_auth', /403.*this key may not use the model.*ANTHROPIC_API_KEY/],
    ['always limited', 'provider_overloaded', /429.*rate limit of the account.*Wait a moment, then retry/],
    ['always overloaded', 'provider_overloaded', /529: overloaded.*Wait a moment, then retry/],
    ['always cut', 'stream_cut', /was cut off\. Retry the turn\./],
  ])(
    'that fails for good (%s) ends the turn with what to do, and the session goes on',
    async (message, code, words) => {
      const { id } = await server.create();
      const events = await server.say(id, message);
      expect(endOf(events)).toEqual({
        outcome: 'failed',
        error: { code, message: expect.stringMatching(words) },
      });
      expect(await server.client().sessions.get(id)).toMatchObject({ status: 'idle' });
      expect(textOf(await server.say(id, 'are you there'))).toMatch(/^Yes\. First you said: /);
    },
  );

  test('that is overloaded twice, or whose answer is cut once, is asked again, and nothing is failed; cut inside a call, never half a call runs, and the whole one runs once', async () => {
    const { id } = await server.create({ mode: 'bypassPermissions' });
    const overloaded = await server.say(id, 'overloaded twice');
    expect(endOf(overloaded)).toEqual({ outcome: 'completed' });
    expect(textOf(overloaded)).toBe('At last.');

    // What came before the cut stands apart from the whole.
    const cut = await server.say(id, 'cut once');
    expect(endOf(cut)).toEqual({ outcome: 'completed' });
    expect(textOf(cut)).toMatch(/^(This answer\s*\n\n)?This answer was cut once, and is whole now\.$/);

    const events = await server.say(id, 'cut inside a call');
    expect(endOf(events)).toEqual({ outcome: 'completed' });
    expect(desk.ranIn(id)).toEqual(['pay ann']);
    const calls = callsOf(events);
    expect(calls.filter(({ isError }) => isError === false)).toEqual([
      { tool: 'mcp__desk__pay', input: { to: 'ann' }, isError: false, output: { paid: 'ann' } },
    ]);
    expect(calls.every(({ isError }) => isError !== undefined)).toBe(true);
  });
});
