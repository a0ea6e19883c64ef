// A yard whose models follow scripts by role: what each agent does is written beside the test.
import type { Agent, Engine, Event } from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedTurn, type Step } from '@toolyard/sdk/testing';
import type { YardOptions } from '../../../src/app.ts';
import { converse, openTestYard, type TestYard } from '../../support/yard.ts';

export type Script = (turn: ScriptedTurn) => Step[];

export const tool = (name: string) => `mcp__toolyard__${name}`;
export const call = (name: string, input: unknown = {}): Step => ({ calls: [{ tool: tool(name), input }] });
export const draft = (prompt: string, rest: object = {}): Step =>
  call('draft_agent', { role: 'developer', prompt, ...rest });

/** The first word of a message says which script answers it. */
export function scriptedBy(scripts: Record<string, Script>): Engine {
  return createScriptedEngine({
    reply: (turn) => {
      const script = scripts[turn.text.split(/[\s:]/)[0] ?? ''];
      return script ? script(turn) : [{ text: `I do not know ${turn.text}` }];
    },
  });
}

export interface AgentYard extends TestYard {
  /** Opens a session of a coordinator and sends it a message, to the end of its turn. */
  ask(content: string, wanted?: object): Promise<{ sessionId: string; events: Event[] }>;
  agents(): Promise<Agent[]>;
}

export async function openAgentYard(
  scripts: Record<string, Script>,
  { limits = {}, ...options }: Partial<YardOptions> & { limits?: object } = {},
): Promise<AgentYard> {
  const overlay = { limits, defaults: { mode: 'bypassPermissions' as const } };
  const yard = await openTestYard({ engine: scriptedBy(scripts), overlay, ...options });
  return Object.assign(yard, {
    async ask(content: string, wanted: object = {}) {
      const session = await yard.client().sessions.create({ role: 'coordinator', ...wanted });
      return { sessionId: session.id, events: await converse(yard, session.id, content) };
    },
    agents: async () => (await yard.client().agents.list({ all: true, limit: 500 })).items,
  });
}

/** What each call of a tool came to, in the order in which they were made. */
export function outputsOf(events: readonly Event[]): unknown[] {
  const outputs = new Map<string, unknown>();
  for (const { type, data } of events) {
    if (type === 'tool_call_start') outputs.set(data.toolCallId, undefined);
    if (type === 'tool_result') outputs.set(data.toolCallId, data.output);
  }
  return [...outputs.values()];
}

export function outputOf<T = Record<string, unknown>>(turn: ScriptedTurn, at = -1): T {
  // A script knows which tool it has called, and so the shape of what came back.
  return turn.outcomes.at(at)?.output as T;
}
