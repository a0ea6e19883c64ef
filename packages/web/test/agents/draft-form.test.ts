// What is wrong with a draft is known before it is sent.
import { expect, it } from 'vitest';
import { toDraft, validateDraft } from '../../src/agents/draft-form.ts';

const wishes = { role: 'developer', prompt: 'go', task: '', budget: '', isolation: 'none' } as const;

it.each([
  { typed: {}, wrong: [] },
  { typed: { task: ' checkout ', budget: '$0,50' }, wrong: [] },
  { typed: { prompt: ' \n' }, wrong: ['prompt'] },
  { typed: { prompt: 'x'.repeat(200_001) }, wrong: ['prompt'] },
  { typed: { task: '../x' }, wrong: ['task'] },
  { typed: { budget: '-1' }, wrong: ['budget'] },
  { typed: { budget: '1e9' }, wrong: ['budget'] },
  { typed: { budget: 'much', task: 'A' }, wrong: ['task', 'budget'] },
])('of $typed, $wrong is wrong', ({ typed, wrong }) => {
  expect(Object.keys(validateDraft({ ...wishes, ...typed }))).toEqual(wrong);
});

it('sends only what was chosen', () => {
  expect(toDraft(wishes)).toEqual({ role: 'developer', prompt: 'go' });
  expect(toDraft({ ...wishes, task: ' a ', budget: '$0,50', isolation: 'worktree' })).toEqual({
    role: 'developer',
    prompt: 'go',
    taskSlug: 'a',
    budgetUsd: 0.5,
    isolation: 'worktree',
  });
});
