// The live tests, without anything live: they refuse, they say what they would spend, and they pass against a script.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseScenario } from '../../packages/harness/src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../packages/harness/src/rehearsal/serve.ts';
import { toPlan } from '../test-live.ts';

const script = new URL('../test-live.ts', import.meta.url).pathname;
const scenario = `
rules:
  - when: { results: { tool: mcp__toolyard__ping } }
    reply: [{ text: "{{result.status}}" }]
  - when: { user: call the tool }
    reply: [{ call: { tool: mcp__toolyard__ping } }]
  - when: { user: which word }
    reply: [{ text: "You said: {{firstUser}}" }]
  - reply: [{ text: ok }]
`;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolyard-live-test-'));
});
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

function run(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const command = ['--conditions=toolyard-source', script, ...args];
  const child = spawn(process.execPath, command, {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    detached: true,
  });
  // With all that it started, should it still run.
  onTestFinished(() => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

describe('npm run test:live', () => {
  it('refuses without a key or a login', async () => {
    expect(await run({}, '--yes')).toEqual({
      code: 2,
      output: expect.stringMatching(/^There is neither a key nor a login, so nothing was asked\./),
    });
  });

  it('says what it would spend, and asks nobody before it is told to', async () => {
    const { code, output } = await run({ ANTHROPIC_API_KEY: 'a-key' });
    expect(code).toBe(2);
    expect(output).toContain('with your key and spends from that account');
    expect(output).toMatch(/tokens {3}about 175,000 in and 2,000 out; .* \$0\.1\d/);
    expect(output).toContain('To go on: npm run test:live -- --yes');
    expect(output).not.toContain('a-key');
  });

  it('leaves the native engine out with a login alone', () => {
    expect(toPlan({ HOME: home, CLAUDE_CODE_OAUTH_TOKEN: 'a-login' })?.engines).toEqual(['claude']);
    expect(toPlan({ HOME: home, ANTHROPIC_AUTH_TOKEN: 'a-key' })?.engines).toEqual(['native', 'claude']);
  });

  it('passes, with both engines, where a script answers', { timeout: 180_000 }, async () => {
    const rehearsal = await serveRehearsal({ scenarios: [parseScenario(scenario, 'live.yaml')] });
    try {
      const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: rehearsal.url };
      const { code, output } = await run(env, '--yes');
      expect({ code, count: output.trimEnd().split('\n').at(-1) }).toEqual({
        code: 0,
        count: '6 passed, 0 failed',
      });
      expect(output).toContain(`This talks to ${rehearsal.url}`);
    } finally {
      await rehearsal.close();
    }
  });

  it('is no part of npm test', async () => {
    const config = await readFile(new URL('../../vitest.config.ts', import.meta.url), 'utf8');
    expect(config.match(/\*[\w{},.]*\.ts'/g)).toEqual([
      "*.test.ts'",
      "*.{app,real}.test.ts'",
      "*.app.test.ts'",
      "*.real.test.ts'",
    ]);
    expect(config).not.toContain('live');
  });
});
