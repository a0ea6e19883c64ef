// What an agent in the real CLI asks its person: choices of one or several questions, and a plan to approve. The answer is
// given over HTTP, and the model reads it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionMode, Question } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { type Call, converse, newSession, openClaudeYard, type Person, shareSession } from './claude-yard.ts';
import { openPlanFront, planFile } from './plan-front.ts';

const choice = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: 'Choice',
  multiSelect,
  options: labels.map((label) => ({ label, description: `about ${label}` })),
});
const ask = (...questions: ReturnType<typeof choice>[]): Call => ({
  tool: 'AskUserQuestion',
  input: { questions },
});
const exit: Call = { tool: 'ExitPlanMode', input: {} };
const writePlan = (content: string): Call => ({ tool: 'Write', input: { file_path: planFile, content } });
const writeFile = (file_path: string): Call => ({ tool: 'Write', input: { file_path, content: 'done' } });

const longPlan = `# A long plan\n\n${'Do one thing after the other. '.repeat(1_000)}\n\nThe end.`;
const longLabel = `Long ${'x'.repeat(300)}`;

const yard = await openClaudeYard({
  front: openPlanFront,
  config: 'toolApproval: { approvalTimeout: 2000 }\n',
  script: ({ work, user }) => ({
    'ask one': [[ask(choice('Which color?', ['Red', 'Blue']))]],
    'ask many': [
      [ask(choice('Which color?', ['Red', 'Blue']), choice('Which sizes?', ['S', 'M', 'L'], true))],
    ],
    'ask with long labels': [[ask(choice('Which one?', [longLabel, `${longLabel} too`]))]],
    'ask nonsense': [[{ tool: 'AskUserQuestion', input: { questions: [] } }]],
    'plan and work': [
      [writePlan('# The plan\n\n1. Write a file.')],
      [exit],
      [writeFile(join(work, 'planned.txt'))],
    ],
    'plan at length': [[writePlan(longPlan)], [exit]],
    'plan without a file': [[{ tool: 'ExitPlanMode', input: { plan: 'A plan in words.' } }]],
    'plan nothing': [[exit]],
    'write beside the plan': [
      [
        writeFile(join(work, 'sneaky.txt')),
        writeFile(join(user, '.claude', 'plans', 'another.md')),
        writeFile(join(user, '.claude', 'settings.json')),
      ],
    ],
  }),
});

const sharedSession = shareSession(yard);

async function say(
  message: string,
  mode: PermissionMode,
  person: Person = {},
  opening = sharedSession(mode),
) {
  const { id } = await opening;
  const asked: Question[] = [];
  const turn = await converse(yard, id, message, {
    ...person,
    answer: (question) => {
      asked.push(question);
      return person.answer ? person.answer(question) : question.options?.[0]?.label;
    },
  });
  const session = await yard.client.sessions.get(id);
  return { ...turn, id, asked, mode: session.mode, status: session.status };
}

describe('a question', () => {
  test('is shown with its options, and the model reads the answer', async () => {
    const { asked, calls, events, outcome } = await say('ask one', 'default', { answer: () => 'Blue' });
    const [question] = asked;
    expect(question).toMatchObject({
      text: 'Which color?',
      ownWords: true,
      state: 'pending',
      toolCallId: calls[0]?.id,
      options: [
        { label: 'Red', description: 'about Red' },
        { label: 'Blue', description: 'about Blue' },
      ],
    });
    expect([outcome, calls[0]?.text]).toEqual([
      'completed',
      expect.stringContaining('"Which color?"="Blue"'),
    ]);
    const kinds = events.map(({ type }) => type).filter((type) => type.startsWith('question'));
    expect(kinds).toEqual(['question_required', 'question_resolved']);
    expect(calls[0]?.audit.map(({ kind }) => kind)).toEqual(['decision', 'result']);
  });

  test('may be one of several, may take several options, and may be answered in other words', async () => {
    const { asked, calls } = await say('ask many', 'plan', {
      answer: ({ multiple }) => (multiple ? ['S', 'L'] : 'Green, rather'),
    });
    expect(asked.map(({ text, multiple = false }) => [text, multiple])).toEqual([
      ['Which color?', false],
      ['Which sizes?', true],
    ]);
    expect(calls[0]?.text).toContain('"Which color?"="Green, rather", "Which sizes?"="S, L"');
  });

  test('with labels too long to show gives the model its own labels', async () => {
    const { asked, calls } = await say('ask with long labels', 'default', {
      answer: ({ options = [] }) => options[1]?.label,
    });
    const labels = asked[0]?.options?.map(({ label }) => label) ?? [];
    expect([new Set(labels).size, labels.every(({ length }) => length <= 200)]).toEqual([2, true]);
    expect(calls[0]?.text).toContain(`${longLabel} too`);
  });

  test('that nobody answers expires, and the model hears what was answered beside it', async () => {
    const { asked, calls, outcome } = await say('ask many', 'default', {
      answer: ({ multiple }) => (multiple ? undefined : 'Red'),
    });
    expect([outcome, calls[0]?.isError]).toEqual(['completed', true]);
    expect(calls[0]?.text).toContain('"Which color?" was answered: Red.');
    expect(calls[0]?.text).toContain('"Which sizes?": No one answered in time.');
    const states = await Promise.all(asked.map(({ id }) => yard.client.questions.get(id)));
    expect(states.map(({ state }) => state)).toEqual(['answered', 'expired']);
  });

  test('takes one answer, and only one that fits', async () => {
    const refused: unknown[] = [];
    const code = (work: Promise<unknown>) =>
      work.then(
        () => refused.push('nothing'),
        (thrown) => refused.push(thrown.code),
      );
    const { id } = await sharedSession();
    await converse(yard, id, 'ask one', {
      answer: async ({ id: questionId }) => {
        await code(yard.client.questions.answer(questionId, ['Red', 'Blue']));
        await code(yard.client.questions.answer('qst_0000000000000000000000', 'Red'));
        await yard.client.questions.answer(questionId, 'Red');
        await code(yard.client.questions.answer(questionId, 'Blue'));
        return undefined;
      },
    });
    expect(refused).toEqual(['invalid_request', 'question_not_found', 'already_answered']);
  });

  test('that cannot be read is refused by the CLI itself', async () => {
    const { asked, calls, outcome } = await say('ask nonsense', 'default');
    expect([asked, calls[0]?.isError, outcome]).toEqual([[], true, 'completed']);
  });
});

describe('a plan', () => {
  const approve = 'Approve, and ask before changes';
  const approveEdits = 'Approve, and accept edits';

  test('is written to the CLI’s own file, shown whole, and approved into default mode, where changes are asked about', async () => {
    const { asked, calls, mode, events } = await say('plan and work', 'plan', {
      answer: () => approve,
      approve: () => ({ decision: 'deny' }),
    });
    expect(asked.map(({ text, body }) => [text, body])).toEqual([
      ['The agent proposes a plan. Approve it?', '# The plan\n\n1. Write a file.'],
    ]);
    expect(calls.map(({ audit, approval }) => [audit[0]?.tool, approval?.tool])).toEqual([
      ['claude:PlanFile', undefined],
      ['claude:ExitPlanMode', undefined],
      ['claude:Write', 'claude:Write'],
    ]);
    const modes = events.flatMap(({ type, data }) => (type === 'session_status' ? (data.mode ?? []) : []));
    expect([mode, modes, existsSync(join(yard.work, 'planned.txt'))]).toEqual([
      'default',
      ['default'],
      false,
    ]);
    const [kept = ''] = globSync('.claude/plans/*.md', { cwd: yard.user });
    expect(readFileSync(join(yard.user, kept), 'utf8')).toBe('# The plan\n\n1. Write a file.');
  });

  test('may be approved into acceptEdits, where the work then runs', async () => {
    const { calls, mode } = await say('plan and work', 'plan', { answer: () => approveEdits });
    expect([mode, calls.map(({ isError }) => isError), existsSync(join(yard.work, 'planned.txt'))]).toEqual([
      ...['acceptEdits', [false, false, false], true],
    ]);
    const { calls: later, text } = await converse(yard, (await newSession(yard, 'plan')).id, 'plan nothing');
    expect([later[0]?.isError, text]).toEqual([true, expect.stringContaining('There is no plan to show')]);
  });

  test.each([
    ['Keep planning', 'The person wants you to keep planning.'],
    ['Use another file name', 'The person wants you to keep planning: Use another file name'],
  ])('that is answered with "%s" leaves the session in plan mode', async (words, heard) => {
    const { calls, mode } = await say('plan and work', 'plan', { answer: () => words });
    expect([mode, calls[1]?.text, calls[1]?.isError]).toEqual(['plan', heard, true]);
    expect(calls[2]?.audit[0]?.rule).toBe('mode plan refuses: write in workspace');
  });

  test('is shown whole, however long', async () => {
    const { asked } = await say('plan at length', 'plan', { answer: () => 'Keep planning' });
    expect(asked[0]?.body).toBe(longPlan);
  });

  test('may be sent in words by an agent that writes no file', async () => {
    const fresh = newSession(yard, 'plan');
    const { asked, mode } = await say('plan without a file', 'plan', { answer: () => approve }, fresh);
    expect([asked[0]?.body, mode]).toEqual(['A plan in words.', 'default']);
  });

  test('may follow one that was approved, when the session is to plan again', async () => {
    await say('plan and work', 'plan', { answer: () => approve, approve: () => ({ decision: 'deny' }) });
    const { asked, mode } = await say('plan at length', 'plan', { answer: () => 'Keep planning' });
    expect([asked[0]?.body, mode]).toEqual([longPlan, 'plan']);
  });

  test('lets no other file be written, not even the plan of another session', async () => {
    const { calls } = await say('write beside the plan', 'plan');
    expect(calls.map(({ audit }) => audit.map(({ decision, rule }) => `${decision}: ${rule}`))).toEqual([
      ['deny: mode plan refuses: write in workspace'],
      ['deny: .claude is protected'],
      ['deny: .claude is protected'],
    ]);
    const there = ['work/sneaky.txt', 'user/.claude/plans/another.md', 'user/.claude/settings.json'];
    expect(there.filter((name) => existsSync(join(yard.work, '..', name)))).toEqual([]);
  });

  test('that nobody approves in time leaves the session planning', async () => {
    const { calls, mode, outcome } = await say('plan at length', 'plan', { answer: () => undefined });
    expect([mode, outcome]).toEqual(['plan', 'completed']);
    expect(calls[1]?.text).toContain('No one answered in time');
  });
});
