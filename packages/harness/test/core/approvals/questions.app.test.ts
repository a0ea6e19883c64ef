// Questions of an engine's own tool, over stops and starts of the server.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Asked, type Engine, pause, type Question, type TurnInput } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { isEndOf, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

const asked: Asked = {
  text: 'Which one?',
  options: [{ label: 'This' }, { label: 'Go', leavesPlanFor: 'acceptEdits' }],
  toolCallId: 'call_1',
};

/** Calls a tool of its own, which asks; gone on with, it says what it heard. */
function createAsker(heard: TurnInput[], question: Asked = asked): Engine {
  return {
    id: 'asker',
    nativeTools: [{ name: 'asker:Ask', effect: 'read', tier: 'auto' }],
    start: async () => ({
      async prompt(input, host) {
        heard.push(input);
        if (input.kind === 'continue') return { outcome: 'completed' };
        await host.emit({ type: 'tool_call_start', data: { toolCallId: 'call_1', tool: 'asker:Ask' } });
        await host.emit({ type: 'tool_call_end', data: { toolCallId: 'call_1', input: {} } });
        await host.judge({ id: 'call_1', name: 'asker:Ask', input: {} });
        const replied = await host.ask(question);
        if (host.signal.aborted) return { outcome: 'interrupted' };
        const text = JSON.stringify(replied);
        await host.ended({ toolCallId: 'call_1', tool: 'asker:Ask', text, isError: false });
        return { outcome: 'completed' };
      },
      close: async () => {},
    }),
  };
}

async function pendingIn(yard: Yard): Promise<Question> {
  for (let tries = 0; tries < 200; tries++) {
    const [question] = (await yard.client().questions.list({ state: 'pending' })).items;
    if (question) return question;
    await pause(10);
  }
  throw new Error('nobody was asked');
}

/** A server that has stopped while its agent waits for an answer. */
async function stopWhileAsked(config = '') {
  const home = await memoryDirectory();
  await writeFile(join(home, 'config.yaml'), config);
  const heard: TurnInput[] = [];
  const engine = createAsker(heard);
  const first = await openTestYard({ home, engine });
  const { id } = await first.client().sessions.create({ mode: 'plan' });
  const { turnId } = await first.client().sessions.send(id, 'ask');
  const question = await pendingIn(first);
  await first.close();
  return { home, engine, heard, id, turnId, question };
}

test('P12: a question waits through a stop, with the time that the server was down given back', async () => {
  const { home, engine, heard, id, turnId, question } = await stopWhileAsked();
  const downMs = 3_600_000;
  const again = await openTestYard({ home, engine, clock: { now: () => Date.now() + downMs } });
  const waiting = await pendingIn(again);
  expect(waiting.id).toBe(question.id);
  const givenBackMs = Date.parse(waiting.expiresAt ?? '') - Date.parse(question.expiresAt ?? '');
  expect(givenBackMs).toBeGreaterThanOrEqual(downMs);
  expect((await again.client().sessions.get(id)).status).toBe('waiting');
  await again.client().questions.answer(question.id, 'Go');
  const events = await readUntil(again, id, isEndOf(turnId));
  expect(events.at(-1)).toMatchObject({ data: { outcome: 'completed' } });
  expect(heard.at(-1)).toEqual({
    kind: 'continue',
    settled: [
      {
        toolCallId: 'call_1',
        tool: 'asker:Ask',
        input: {},
        isError: false,
        text: 'The person was asked "Which one?" and answered: Go',
        output: 'The person was asked "Which one?" and answered: Go',
      },
    ],
  });
  expect((await again.client().sessions.get(id)).mode).toBe('acceptEdits');
});

test('a question that nobody answers after a restart expires, and the turn goes on with that', async () => {
  const { home, engine, heard, id, turnId } = await stopWhileAsked(
    'toolApproval: { approvalTimeout: 700 }\n',
  );
  const again = await openTestYard({ home, engine });
  await readUntil(again, id, isEndOf(turnId));
  expect(heard.at(-1)).toMatchObject({
    settled: [{ isError: true, text: 'The person was asked "Which one?". No one answered in time.' }],
  });
  const states = (await again.client().questions.list()).items.map(({ state }) => state);
  expect([states, (await again.client().sessions.get(id)).mode]).toEqual([['expired'], 'plan']);
});

test('a question that no call asks ends with its turn', async () => {
  const home = await memoryDirectory();
  const engine = createAsker([], { text: 'Which one?' });
  const first = await openTestYard({ home, engine });
  const { id } = await first.client().sessions.create();
  const { turnId } = await first.client().sessions.send(id, 'ask');
  await pendingIn(first);
  await first.client().sessions.interrupt(id);
  await readUntil(first, id, isEndOf(turnId));
  const states = (await first.client().questions.list()).items.map(({ state }) => state);
  expect(states).toEqual(['cancelled']);
});
