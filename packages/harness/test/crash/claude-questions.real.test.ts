// A server with the real CLI that ends, by kill -9 or in good order, while its agent waits for a person: the question is
// still there after the next start, and so is the turn that asked it.
import type { PermissionMode, Question } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { until } from '../sandbox/support.ts';
import { begin, type ClaudeHome, createClaudeHome, pendingIn, readTurn } from './claude-home.ts';
import type { Ready } from './server-process.ts';

const choice = (question: string, labels: readonly string[]) => ({
  question,
  header: 'Choice',
  multiSelect: false,
  options: labels.map((label) => ({ label, description: label })),
});
const questions = [choice('Which color?', ['Red', 'Blue']), choice('Which size?', ['S', 'M'])];
const touch = { tool: 'Bash', input: { command: 'echo ran >> effects.txt', description: 'writes a line' } };
const plan = { tool: 'ExitPlanMode', input: { plan: 'A plan in words.' } };

const rules = [
  { when: { userIs: 'ask', step: 0 }, reply: [{ call: { tool: 'AskUserQuestion', input: { questions } } }] },
  { when: { userIs: 'plan', step: 0 }, reply: [{ call: plan }] },
  { when: { userIs: 'touch', step: 0 }, reply: [{ call: touch }] },
  { when: { results: { contains: 'exactly the same input' } }, reply: [{ call: touch }] },
  { reply: [{ text: 'Heard: {{results}}' }] },
];

async function askedIn({ client }: Ready, count: number): Promise<Question[]> {
  let found: Question[] = [];
  await until(async () => {
    found = (await client.questions.list({ state: 'pending' })).items.toReversed();
    return found.length === count;
  });
  return found;
}

async function askAndEnd(
  home: ClaudeHome,
  message: string,
  mode: PermissionMode,
  signal: NodeJS.Signals,
  count: number,
) {
  const first = home.start();
  const ready = await first.ready;
  const turn = await begin(ready, message, mode);
  const asked = await askedIn(ready, count);
  await first.kill(signal);
  return { turn, asked };
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'P3, P12: after %s the questions wait on, each is answered once, and the turn goes on with the answers',
  async (signal) => {
    const home = await createClaudeHome(rules);
    const { turn, asked } = await askAndEnd(home, 'ask', 'default', signal, 2);
    const again = await home.start().ready;
    expect((await askedIn(again, 2)).map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
    const [color = '', size = ''] = asked.map(({ id }) => id);
    await again.client.questions.answer(size, 'M');
    await again.client.questions.answer(color, 'Blue');
    await expect(again.client.questions.answer(color, 'Red')).rejects.toMatchObject({
      code: 'already_answered',
    });
    const told = await readTurn(again, turn);
    expect([told.outcome, told.text]).toEqual([
      'completed',
      expect.stringMatching(/"Which color\?" and answered: Blue\n.*"Which size\?" and answered: M/),
    ]);
    expect([home.countOpenTurns(), (await again.client.sessions.get(turn.id)).status]).toEqual([0, 'idle']);
  },
);

test('P12: an answer given just before a kill is not lost', async () => {
  const home = await createClaudeHome(rules);
  const first = home.start();
  const ready = await first.ready;
  const turn = await begin(ready, 'plan', 'plan');
  const [question] = await askedIn(ready, 1);
  await ready.client.questions.answer(question?.id ?? '', 'Approve, and accept edits');
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  const { mode } = await again.client.sessions.get(turn.id);
  const told = await readTurn(again, turn);
  // Killed after the turn's last word, there is nothing to go on with; before it, the turn goes on or can be retried.
  expect(['completed', 'failed']).toContain(told.outcome);
  expect([mode, home.countOpenTurns()]).toEqual(['acceptEdits', 0]);
});

test('P12: a plan that is approved after a kill takes the session out of plan mode', async () => {
  const home = await createClaudeHome(rules);
  const { turn, asked } = await askAndEnd(home, 'plan', 'plan', 'SIGKILL', 1);
  const again = await home.start().ready;
  await again.client.questions.answer(asked[0]?.id ?? '', 'Approve, and ask before changes');
  const told = await readTurn(again, turn);
  expect([told.outcome, told.text.includes('Approve, and ask before changes')]).toEqual(['completed', true]);
  expect((await again.client.sessions.get(turn.id)).mode).toBe('default');
});

test('P3, P5: an approval that waited through restarts in good order still lets its call run once', async () => {
  const home = await createClaudeHome(rules);
  const first = home.start();
  const turn = await begin(await first.ready, 'touch');
  const approval = await pendingIn(await first.ready, turn.id);
  await first.kill('SIGTERM');
  const second = home.start();
  expect((await pendingIn(await second.ready, turn.id)).id).toBe(approval.id);
  await second.kill('SIGTERM');
  // One that stops before it has gone on with anything.
  const third = home.start();
  await third.ready;
  await third.kill('SIGTERM');

  const again = await home.start().ready;
  await again.client.approvals.answer(approval.id, { decision: 'allow' });
  const told = await readTurn(again, turn);
  expect([told.outcome, home.effects()]).toEqual(['completed', 1]);
  expect((await again.client.approvals.list()).items.map(({ state }) => state)).toEqual(['allowed']);
});
