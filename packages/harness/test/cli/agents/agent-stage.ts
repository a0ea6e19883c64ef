// A yard for the commands about agents: what an agent does is said by the first word of its prompt.
import { createScriptedEngine, type ScriptedTurn, type Step } from '@toolyard/sdk/testing';
import { type CommandYard, openCommandYard } from '../in-process.ts';

type Script = (turn: ScriptedTurn) => Step[];

const call = (tool: string, input: unknown): Step => ({ calls: [{ tool, input }] });

/** What an agent is told that drafts others: `plan A; B` drafts one with the prompt A and one with B. */
function toPrompts(text: string): string[] {
  return text.slice(text.indexOf(' ') + 1).split('; ');
}

/** Drafts what its prompt says, waits for all of them, and says how they ended. */
const plan: Script = ({ step, text, outcomes }) => {
  const prompts = toPrompts(text);
  const tool = 'mcp__toolyard__draft_agent';
  if (step === 0)
    return [{ calls: prompts.map((prompt) => ({ tool, input: { role: 'assistant', prompt } })) }];
  const ids = outcomes.flatMap(({ output }) => Object(output).agentId ?? []).slice(0, prompts.length);
  const wait = 'mcp__toolyard__await_agent';
  if (step === 1) return [{ calls: ids.map((agentId) => ({ tool: wait, input: { agentId } })) }];
  const ends = outcomes.slice(prompts.length).map(({ output }) => Object(output).status);
  return [{ text: `ended: ${ends.join(', ')}` }];
};

const scripts: Record<string, Script> = {
  plan,
  /** Another word for the same, so that two levels can be written in one prompt. */
  lead: ({ text, ...turn }) => plan({ ...turn, text: text.replaceAll(' then ', ' ') }),
  report: ({ step, text }) =>
    step === 0
      ? [
          call('mcp__toolyard__report_result', {
            summary: `${text}: done\nIn two lines.`,
            changes: ['a.ts', 'b.ts'],
            issues: ['c.ts is\nold'],
            questions: ['Why?'],
          }),
        ]
      : [{ text: 'Reported.' }],
  say: ({ text }) => [{ text: text.slice(4) }],
  hang: () => [{ untilAborted: true }],
  fail: () => [{ fail: { code: 'provider_failed', message: 'The provider broke.' } }],
  broke: () => [{ fail: { code: 'budget_limit', message: 'The budget of $1 is used up.' } }],
  pay: ({ step, text, outcomes }) =>
    step === 0
      ? [call('mcp__suite__pay', { to: text.slice(4) })]
      : [{ text: outcomes.map((outcome) => outcome.text).join() }],
};

export const configuration = `
toolApproval:
  perTool: { mcp__toolyard__draft_agent: auto }
`;

export function openAgentCommands(config = configuration): Promise<CommandYard> {
  const reply: Script = (turn) =>
    (scripts[turn.text.split(' ', 1)[0] ?? ''] ?? (() => [{ text: '?' }]))(turn);
  return openCommandYard({ config, engine: createScriptedEngine({ reply }) });
}
