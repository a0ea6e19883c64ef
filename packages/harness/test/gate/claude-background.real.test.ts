// Commands in the background of the real CLI: none can be started, since it would outlive its turn and start steps of the
// model that nobody asked for; and one that a conversation brings along from elsewhere does not disturb it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJournal, createRecordingHost } from '@toolyard/sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { openClaudeWorld } from '../engines/claude/claude-world.ts';
import { makeFolder } from '../support/workspace.ts';
import { converse, newSession, openClaudeYard } from './claude-yard.ts';

test('P13: a command cannot be sent to the background', async () => {
  const input = { command: 'touch later.txt', description: 'x', run_in_background: true };
  const nap = { command: 'sleep 0.5', description: 'takes longer than that' };
  const yard = await openClaudeYard({
    script: () => ({ go: [[{ tool: 'Bash', input }]], nap: [[{ tool: 'Bash', input: nap }]] }),
  });
  const { id } = await newSession(yard, 'bypassPermissions');
  const before = yard.rehearsal.requests();
  const { calls, outcome } = await converse(yard, id, 'go');
  const ran = calls.filter(({ audit }) => audit.some(({ decision }) => decision === 'allow'));
  expect([outcome, calls.map(({ isError }) => isError), ran]).toEqual(['completed', [true], []]);
  await converse(yard, id, 'nap');
  expect([existsSync(join(yard.work, 'later.txt')), yard.rehearsal.requests() - before]).toEqual([false, 4]);
});

test('a conversation with an unfinished command of elsewhere answers what it is asked', async () => {
  const scenario = join(makeFolder(), 'scenario.yaml');
  writeFileSync(
    scenario,
    `rules:
  - when: { userIs: start, step: 0 }
    reply: [{ call: { tool: Bash, input: { command: sleep 600, description: x, run_in_background: true } } }]
  - reply: [{ text: "You said: {{user}}" }]\n`,
  );
  const rehearsal = await serveRehearsal({ scenarioPath: scenario });
  onTestFinished(rehearsal.close);
  let elsewhere: Record<string, string> = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '' };
  const access = async () => ({ ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'any', ...elsewhere });
  const world = await openClaudeWorld(scenario, { access });
  onTestFinished(world.close);
  const spec = {
    sessionId: 'ses_1',
    model: 'anthropic/claude-sonnet-5',
    instructions: '',
    cwd: world.cwd,
    maxSteps: 5,
    tools: [],
    nativeTools: ['claude:Bash'],
  };
  const journal = createJournal();
  async function say(session: Awaited<ReturnType<typeof world.engine.start>>, content: string) {
    const host = createRecordingHost({ journal });
    await session.prompt({ kind: 'message', content }, host);
    return host.events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join('');
  }
  const first = await world.engine.start(spec);
  await say(first, 'start');
  await first.close();
  elsewhere = {};
  const second = await world.engine.start({ ...spec, resume: journal.resume() });
  expect([await say(second, 'one'), await say(second, 'two')]).toEqual(['You said: one', 'You said: two']);
  await second.close();
});
