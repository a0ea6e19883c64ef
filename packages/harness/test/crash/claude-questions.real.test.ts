// A server with the real CLI that ends, by kill -9 or in good order, while its agent waits for a person: the question is
// still there after the next start, and so is the turn that asked it.
import type { Question } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { until } from '../sandbox/support.ts';
import { begin, createClaudeHome, pendingIn, readTurn } from './claude-home.ts';
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

async function askedIn({ client }: Ready, count: number, sessionId: string): Promise<Question[]> {
  let found: Question[] = [];
  await until(async () => {
    found = (await client.questions.list({ state: 'pending', sessionId })).items.toReversed();
    return found.length === count;
  });
  return found;
}

async function idsOf(asked: Promise<Question[]>): Promise<string[]> {
  return (await asked).map(({ id }) => id);
}

/** Answers both questions of the turn, the later one first, and reads how it goes on. */
async function answerBoth(
  ready: Ready,
  turn: Awaited<ReturnType<typeof begin>>,
  [color = '', size = '']: readonly string[],
): Promise<void> {
  await ready.client.questions.answer(size, 'M');
  await ready.client.questions.answer(color, 'Blue');
  await expect(ready.client.questions.answer(color, 'Red')).rejects.toMatchObject({
    code: 'already_answered',
  });
  const told = await readTurn(ready, turn);
  expect([told.outcome, told.text]).toEqual([
    'completed',
    expect.stringMatching(/"Which color\?" and answered: Blue\n.*"Which size\?" and answered: M/),
  ]);
  expect((await ready.client.sessions.get(turn.id)).status).toBe('idle');
}

test('P3, P12: after SIGKILL the questions wait on, each is answered once, and the turn goes on; an answer just before it is not lost, and a plan approved after it ends plan mode', {
  timeout: 60_000,
}, async () => {
  const home = await createClaudeHome(rules);
  const first = home.start();
  const ready = await first.ready;
  const asking = await begin(ready, 'ask');
  const both = await idsOf(askedIn(ready, 2, asking.id));
  const planning = await begin(ready, 'plan', 'plan');
  const [plan] = await askedIn(ready, 1, planning.id);
  const answered = await begin(ready, 'plan', 'plan');
  const [question] = await askedIn(ready, 1, answered.id);
  await ready.client.questions.answer(question?.id ?? '', 'Approve, and accept edits');
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  const { mode } = await again.client.sessions.get(answered.id);
  const ended = await readTurn(again, answered);
  // Killed after the turn's last word, there is nothing to go on with; before it, the turn goes on or can be retried.
  expect(['completed', 'failed']).toContain(ended.outcome);
  expect(mode).toBe('acceptEdits');

  expect(await idsOf(askedIn(again, 2, asking.id))).toEqual(both);
  await answerBoth(again, asking, both);
  await again.client.questions.answer(plan?.id ?? '', 'Approve, and ask before changes');
  const told = await readTurn(again, planning);
  expect([told.outcome, told.text.includes('Approve, and ask before changes')]).toEqual(['completed', true]);
  expect((await again.client.sessions.get(planning.id)).mode).toBe('default');
  expect(home.countOpenTurns()).toBe(0);
});

test('P3, P5, P12: questions and an approval that waited through restarts in good order are answered once, the turns go on, and the call runs once', {
  timeout: 60_000,
}, async () => {
  const home = await createClaudeHome(rules);
  const first = home.start();
  const ready = await first.ready;
  const asking = await begin(ready, 'ask');
  const turn = await begin(ready, 'touch');
  const both = await idsOf(askedIn(ready, 2, asking.id));
  const approval = await pendingIn(ready, turn.id);
  await first.kill('SIGTERM');
  const second = home.start();
  expect((await pendingIn(await second.ready, turn.id)).id).toBe(approval.id);
  expect(await idsOf(askedIn(await second.ready, 2, asking.id))).toEqual(both);
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
  await answerBoth(again, asking, both);
  expect(home.countOpenTurns()).toBe(0);
});
