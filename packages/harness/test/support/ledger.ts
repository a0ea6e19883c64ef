// A yard with a ledger: tools whose effects are counted, and an engine that calls them as it is told.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Approval, defineTool, defineToolkit, type Engine, type Event, pause } from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedTurn } from '@toolyard/sdk/testing';
import { z } from 'zod';
import type { Yard } from '../../src/app.ts';
import { memoryDirectory, openTestYard } from './yard.ts';

/** A tool that counts its effects, and one that looks. */
export function createLedger() {
  const ran: string[] = [];
  const kit = defineToolkit({
    name: 'ledger',
    server: 'suite',
    tools: [
      defineTool({
        name: 'pay',
        title: 'Pay',
        description: 'Pays somebody.',
        effect: 'execute',
        input: z.strictObject({ to: z.string() }),
        output: z.object({ paid: z.string() }),
        run: async ({ to }) => {
          ran.push(to);
          return { paid: to };
        },
      }),
      defineTool({
        name: 'look',
        title: 'Look',
        description: 'Looks.',
        effect: 'read',
        tier: 'session',
        input: z.strictObject({ at: z.string() }),
        output: z.object({ seen: z.string() }),
        run: async ({ at }) => {
          ran.push(at);
          return { seen: at };
        },
      }),
    ],
  });
  return { ran, kit };
}

/** Each message is a line of calls such as `pay a, look b`; then the model says what it heard. */
export function caller(): Engine {
  return createScriptedEngine({
    reply: ({ text, outcomes }: ScriptedTurn) => {
      if (outcomes.length > 0) return [{ text: outcomes.map((outcome) => outcome.text).join('|') }];
      const calls = text.split(', ').map((line) => {
        const [name, argument] = line.split(' ');
        const input = name === 'pay' ? { to: argument } : { at: argument };
        return { tool: `mcp__suite__${name}`, input };
      });
      return [{ calls }];
    },
  });
}

export const textOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join('');

export async function openLedgerYard(config = '', more: Parameters<typeof openTestYard>[0] = {}) {
  const { ran, kit } = createLedger();
  const home = more.home ?? (await memoryDirectory());
  if (config) await writeFile(join(home, 'config.yaml'), config);
  const yard = await openTestYard({ engine: caller(), toolkits: [kit], ...more, home });
  return { yard, ran, home };
}

export async function pendingOf(yard: Yard, count = 1): Promise<Approval[]> {
  for (let tries = 0; tries < 200; tries++) {
    const { items } = await yard.client().approvals.list({ state: 'pending' });
    if (items.length >= count) return items;
    await pause(20);
  }
  throw new Error('nobody was asked');
}

export async function firstPending(yard: Yard): Promise<Approval> {
  const [approval] = await pendingOf(yard);
  if (!approval) throw new Error('nobody was asked');
  return approval;
}
