// A model that no list has may be new or mistyped: it is used, and whoever named it hears of the nearest.
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandYard, openCommandYard } from './in-process.ts';

let at: CommandYard;
beforeAll(async () => {
  at = await openCommandYard({ engine: createScriptedEngine({ reply: () => [{ text: 'ok' }] }) });
});
afterAll(() => at.close());

const doubt =
  /^The model list of [\d-]+ does not contain anthropic\/claude-sonet-5\. Did you mean "anthropic\/claude-sonnet-5"\?\n/;

it('run says so on stderr before the turn, and runs it', async () => {
  const { code, stdout, stderr } = await at.run('run', '--model', 'anthropic/claude-sonet-5', 'hi');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ok\n', stderr: expect.stringMatching(doubt) });
  const known = await at.run('run', '--model', 'anthropic/claude-sonnet-5', 'hi');
  expect(known.stderr).not.toContain('model list');
});

it('the answer to whoever opens or changes a session says so, and nothing is kept of it', async () => {
  const { sessions } = at.yard.client();
  const { id, warnings } = await sessions.create({ model: 'openai/gpt-9' });
  expect(warnings).toEqual([expect.stringMatching(/Did you mean "openai\/gpt-/)]);
  expect((await sessions.get(id)).warnings).toBeUndefined();
  expect((await sessions.change(id, { title: 'x' })).warnings).toBeUndefined();
  const changed = await at.run('sessions', 'change', id, '--model', 'anthropic/claude-sonet-5');
  expect(changed).toMatchObject({ code: 0, stderr: expect.stringMatching(doubt) });
});
