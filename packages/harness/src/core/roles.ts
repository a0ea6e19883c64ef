// The roles a session may take. One ships; its instructions are the system prompt.
import { ToolyardError } from '@toolyard/sdk';
import { nearest } from './nearest.ts';

export interface Role {
  name: string;
  instructions: string;
}

const assistant: Role = {
  name: 'assistant',
  instructions: [
    'You are an assistant that runs inside Toolyard, a harness for AI agents, on the computer of the person you talk to.',
    'Use the tools you are offered when they help, by their full names. Say plainly when a tool fails or when you do not know.',
    'Answer briefly, in Markdown.',
  ].join('\n'),
};

const roles = new Map([[assistant.name, assistant]]);

export function findRole(name: string): Role {
  const role = roles.get(name);
  if (role) return role;
  const guess = nearest(name, [...roles.keys()]);
  const hint = guess ? `Did you mean "${guess}"?` : `Roles: ${[...roles.keys()].join(', ')}.`;
  throw new ToolyardError('unknown_role', `There is no role "${name}". ${hint}`);
}
