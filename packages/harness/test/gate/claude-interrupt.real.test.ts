// An interrupt of a turn in the real CLI: whatever it was doing has stopped within five seconds, processes included, and
// the conversation goes on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, PermissionMode } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { findSleepers, newNap, until } from '../sandbox/support.ts';
import { type Call, converse, openClaudeYard, type Script, shareSession } from './claude-yard.ts';

const within = 5_000;
const bash = (command: string): Call => ({ tool: 'Bash', input: { command, description: 'a command' } });
const naps = { plain: newNap(), stubborn: newNap(), left: newNap() };

const question = {
  question: 'Which one?',
  header: 'One',
  multiSelect: false,
  options: ['This', 'That'].map((label) => ({ label, description: label })),
};

const script: Script = {
  sleep: [[bash(`sleep ${naps.plain}`)]],
  'sleep stubbornly': [
    [
      bash(
        `trap "" TERM INT HUP; (setsid sleep ${naps.stubborn} &); sleep ${naps.stubborn}; sleep ${naps.stubborn}`,
      ),
    ],
  ],
  'leave something behind': [
    [bash(`setsid sleep ${naps.left} >/dev/null 2>&1 & echo left`)],
    [bash('sleep 3')],
  ],
  touch: [[bash('touch asked.txt')]],
  ask: [[{ tool: 'AskUserQuestion', input: { questions: [question] } }]],
};
const slow = {
  when: { userIs: 'speak' },
  reply: [{ text: 'slow ', repeat: 400 }],
  pace: { chunkChars: 5, delayMs: 20 },
};
const yard = await openClaudeYard({ script: () => script, rules: [slow] });
const sharedSession = shareSession(yard);

/** Sends a message, interrupts once it is as far as it should be, and says how long it took until all had stopped. */
async function interruptWhen(
  message: string,
  mode: PermissionMode,
  isFar: (event: Event) => Promise<boolean> | boolean,
) {
  const { id } = await sharedSession(mode);
  const { turnId, seq } = await yard.client.sessions.send(id, message);
  const signal = AbortSignal.timeout(20_000);
  for await (const event of yard.client.sessions.events(id, { after: seq, signal }))
    if (await isFar(event)) break;
  const started = performance.now();
  await yard.client.sessions.interrupt(id);
  for await (const event of yard.client.sessions.events(id, { after: seq, signal })) {
    if (event.type !== 'turn_end' || event.data.turnId !== turnId) continue;
    expect(event.data.outcome).toBe('interrupted');
    break;
  }
  return { id, started };
}

async function expectNextWorks(id: string): Promise<void> {
  const { outcome, text } = await converse(yard, id, 'hello');
  expect([outcome, text]).toEqual(['completed', 'Heard nothing.']);
  expect((await yard.client.sessions.get(id)).status).toBe('idle');
}

describe('an interrupt', () => {
  test.each([
    ['a command', 'sleep', naps.plain, 1],
    ['a command that does not listen, and its daemon', 'sleep stubbornly', naps.stubborn, 2],
  ] as const)('P13: ends %s within five seconds', async (_, message, nap, count) => {
    const { id, started } = await interruptWhen(message, 'bypassPermissions', async ({ type }) => {
      if (type !== 'tool_call_end') return false;
      await until(() => findSleepers(nap).length === count);
      return true;
    });
    await until(() => findSleepers(nap).length === 0, within - (performance.now() - started));
    await expectNextWorks(id);
  });

  test('P13: ends what a command of the turn has left behind', async () => {
    const { id, started } = await interruptWhen(
      'leave something behind',
      'bypassPermissions',
      async ({ type }) => {
        if (type !== 'tool_result') return false;
        await until(() => findSleepers(naps.left).length === 1);
        return true;
      },
    );
    await until(() => findSleepers(naps.left).length === 0, within - (performance.now() - started));
    await expectNextWorks(id);
  });

  test('P13: while a person is asked means that the call never runs, and a late answer is refused', async () => {
    const { id } = await interruptWhen('touch', 'default', ({ type }) => type === 'approval_required');
    const [approval] = (await yard.client.approvals.list({ sessionId: id })).items;
    expect(approval?.state).toBe('cancelled');
    await expect(
      yard.client.approvals.answer(approval?.id ?? '', { decision: 'allow' }),
    ).rejects.toMatchObject({
      code: 'already_answered',
    });
    await expectNextWorks(id);
    expect(existsSync(join(yard.work, 'asked.txt'))).toBe(false);
  });

  test('P13: while the agent asks its person cancels the question', async () => {
    const { id } = await interruptWhen('ask', 'default', ({ type }) => type === 'question_required');
    const [asked] = (await yard.client.questions.list({ sessionId: id })).items;
    expect(asked?.state).toBe('cancelled');
    await expectNextWorks(id);
  });

  test('P13: while the model speaks hangs up on it', async () => {
    const { id, started } = await interruptWhen('speak', 'default', ({ type }) => type === 'text_delta');
    await until(() => yard.rehearsal.active() === 0, within - (performance.now() - started));
    const { lastSeq } = await yard.client.sessions.get(id);
    await expectNextWorks(id);
    // Nothing of the turn that has ended comes in between or after.
    const { lastSeq: last } = await yard.client.sessions.get(id);
    const after: Event[] = [];
    for await (const event of yard.client.sessions.events(id, { after: lastSeq })) {
      after.push(event);
      if (event.seq >= last) break;
    }
    const said = after.flatMap((event) => (event.type === 'text_delta' ? event.data.text : []));
    expect([after[0]?.type, said.join('')]).toEqual(['user_message', 'Heard nothing.']);
  });
});
