// A session as months of use would leave it, written through the real store before the server starts.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { EventDraft, LogDraft } from '@toolyard/sdk';
import { createIds } from '../../../harness/src/core/lib/ids.ts';
import { openStore } from '../../../harness/src/store/open.ts';

const clock = { now: () => Date.now() };
const newId = createIds(clock);
const at = '2026-11-01T08:00:00.000Z';
const eventsOfTurn = 20;

export const longTitle = 'A very long session';

/** Returns the id of a session with about this many events. */
export async function writeLongSession(home: string, events: number): Promise<string> {
  const store = await openStore({
    path: join(home, 'toolyard.db'),
    clock,
    owner: { pid: process.pid, host: hostname() },
  });
  const id = newId('ses');
  await store.commit((tx) =>
    tx.insertSession({
      id,
      title: longTitle,
      role: 'assistant',
      engine: 'native',
      model: 'anthropic/claude-sonnet-5',
      mode: 'default',
      cwd: home,
      workspace: home,
      status: 'idle',
      rootSessionId: id,
      costUsd: 0,
      createdAt: at,
      updatedAt: at,
    }),
  );
  const turns = Math.ceil(events / eventsOfTurn);
  const drafts = Array.from({ length: turns }, (_, turn) => toTurn(turn));
  for (let from = 0; from < turns; from += 50) {
    const part = drafts.slice(from, from + 50).flat();
    await store.commit((tx) => tx.append(part.map((draft): LogDraft => ({ ...draft, sessionId: id, at }))));
  }
  await store.close();
  return id;
}

function toTurn(turn: number): EventDraft[] {
  const turnId = newId('trn');
  const toolCallId = `call_${turn}`;
  const words = [
    `## Step ${turn}\n\n`,
    'Some **words** about `code`, a list and a table:\n\n',
    ...Array.from(
      { length: 6 },
      (_, line) => `- point ${line} of step ${turn}, long enough to fill a line\n`,
    ),
    '\n```ts\n',
    `export const step${turn} = { at: ${turn}, done: true };\n`,
    '```\n',
  ];
  return [
    { type: 'user_message', data: { content: `What about step ${turn}?`, turnId } },
    { type: 'turn_start', data: { turnId } },
    { type: 'tool_call_start', data: { toolCallId, tool: 'mcp__desk__look' } },
    { type: 'tool_call_delta', data: { toolCallId, delta: `{"at":"step ${turn}"}` } },
    { type: 'tool_call_end', data: { toolCallId, input: { at: `step ${turn}` } } },
    { type: 'tool_result', data: { toolCallId, output: { seen: `the step ${turn}` }, isError: false } },
    ...words.map((text): EventDraft => ({ type: 'text_delta', data: { text } })),
    { type: 'usage', data: { inputTokens: 900, outputTokens: 80, costUsd: 0 } },
    { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
    { type: 'session_status', data: { status: 'idle' } },
  ];
}
