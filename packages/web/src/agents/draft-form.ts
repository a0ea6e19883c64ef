// What a person has typed for a new agent, what is wrong with it, and what of it is sent. Pure.
import { Budget, type DraftAgent, type Isolation, Prompt, Slug } from '@toolyard/sdk';

export interface DraftForm {
  role: string;
  prompt: string;
  task: string;
  budget: string;
  isolation: Isolation;
}

export type DraftErrors = Partial<Record<'prompt' | 'task' | 'budget', string>>;

export function validateDraft({ prompt, task, budget }: DraftForm): DraftErrors {
  const isTask = task.trim() === '' || Slug.safeParse(task.trim()).success;
  const isBudget = budget.trim() === '' || Budget.safeParse(toNumber(budget)).success;
  return {
    ...(!Prompt.safeParse(prompt).success && { prompt: formatPrompt(prompt) }),
    ...(!isTask && { task: 'Name an open task: lower-case letters, digits and dashes.' }),
    ...(!isBudget && { budget: 'A number above zero, such as 0.50.' }),
  };
}

function formatPrompt(prompt: string): string {
  if (prompt.trim() === '') return 'Say what the agent is to do.';
  return 'It is too long: put what is long into a file, and say where it is.';
}

function toNumber(text: string): number {
  return Number(text.trim().replace(/^\$/, '').replace(',', '.'));
}

export function toDraft({ role, prompt, task, budget, isolation }: DraftForm): DraftAgent {
  return {
    role,
    prompt,
    ...(task.trim() && { taskSlug: task.trim() }),
    ...(budget.trim() && { budgetUsd: toNumber(budget) }),
    ...(isolation !== 'none' && { isolation }),
  };
}
