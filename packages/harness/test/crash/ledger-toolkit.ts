// A tool whose effect outlives the process: one line in a file, on disk before the tool returns.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { defineTool, defineToolkit, pause, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';
import type { Effect } from './history.ts';

export const recordTool = 'mcp__crash__record';

/** With `asks`, a person is asked about each call. */
export function ledgerToolkit(path: string, { asks = false } = {}): Toolkit {
  const record = defineTool({
    name: 'record',
    title: 'Record',
    description: 'Writes a line that a kill cannot take back.',
    effect: 'write',
    tier: asks ? 'always' : 'auto',
    input: z.object({ note: z.string() }),
    output: z.object({ noted: z.string() }),
    async run({ note }, { sessionId, turnId, toolCallId: callId, signal }) {
      await pause(1, signal);
      appendLine(path, { sessionId, turnId, callId });
      await pause(1, signal);
      return { noted: note };
    },
  });
  return defineToolkit({ name: 'crash', server: 'crash', tools: [record] });
}

function appendLine(path: string, effect: Effect): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeSync(file, `${JSON.stringify(effect)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
