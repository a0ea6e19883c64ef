// What a turn costs when its model was called and never said what it used, through the whole yard and over the wire.
import { join } from 'node:path';
import { type Event, pause } from '@toolyard/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { openYard } from '../../../src/app.ts';
import {
  refuseAs,
  say,
  serveModel,
  textFrames,
  type WireAnswer,
  wire,
  wireAndSilence,
} from '../../engines/native/model-server.ts';
import { workBeside } from '../../support/work.ts';
import { isEndOf, memoryDirectory, quiet, readUntil } from '../../support/yard.ts';

const begun = textFrames('Once upon').slice(0, 3).join('');

/** One turn on a model that answers like this; `stopAt` interrupts it there. */
async function play(answer: WireAnswer, stopAt?: 'asked' | 'answering', given?: Given) {
  const server = await serveModel(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const home = given?.home ?? join(await memoryDirectory(), 'home');
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
  const overlay = given ? { limits: { dailyUsd: given.dailyUsd } } : {};
  const yard = await openYard({ home, env, workspace: workBeside(home), logger: quiet, overlay });
  onTestFinished(() => yard.close());
  const { sessions } = yard.client();
  const { id } = await sessions.create({ engine: 'native', model: 'anthropic/claude-sonnet-4-5' });
  const { turnId } = await sessions.send(id, 'hi');
  if (stopAt === 'answering') await readUntil(yard, id, ({ type }) => type === 'text_delta');
  while (stopAt === 'asked' && server.requests.length === 0) await pause(5);
  if (stopAt) await sessions.interrupt(id);
  const events = await readUntil(yard, id, isEndOf(turnId));
  const costs = { turn: endOf(events), session: (await sessions.get(id)).costUsd };
  return { ...costs, home, yard, events, turnId };
}

interface Given {
  home: string;
  dailyUsd: number;
}

function endOf(events: readonly Event[]): number | null | undefined {
  return events.findLast((event) => event.type === 'turn_end')?.data.costUsd;
}

it.each([
  ['interrupted as it answers', wireAndSilence(begun), 'answering'],
  ['interrupted before it answers', wireAndSilence(''), 'asked'],
  ['cut off', wire(begun), undefined],
] as const)(
  'a turn that is %s costs nobody knows what, and so does its session',
  async (_, answer, stopAt) => {
    expect(await play(answer, stopAt)).toMatchObject({ turn: null, session: null });
  },
);

it('P8: its run is charged by what was sent and said, and so is the day, after a restart, too', async () => {
  const cut = await play(wireAndSilence(begun), 'answering');
  const usage = cut.events.find(({ type }) => type === 'usage')?.data;
  const { costUsd } = (await cut.yard.client().runs.get(cut.turnId)).used;
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: null, estimatedUsd: costUsd });
  expect(costUsd).toBeGreaterThan(0.001);
  await cut.yard.close();
  // Enough for a step, if nothing was spent before.
  const next = await play(say('Hello.'), undefined, { home: cut.home, dailyUsd: costUsd + 0.004 });
  expect(next.events.findLast(({ type }) => type === 'turn_end')?.data).toMatchObject({
    outcome: 'limit',
    error: { code: 'budget_limit', data: { limit: 'dailyUsd', used: costUsd } },
  });
  await next.yard.close();
  const last = await play(say('Hello.'), undefined, { home: cut.home, dailyUsd: 2 * costUsd + 0.004 });
  expect(last.turn).toBeGreaterThan(0);
});

it('a turn that is refused costs nothing', async () => {
  const refused = refuseAs(401, 'authentication_error', 'No.');
  expect(await play(refused)).toMatchObject({ turn: 0, session: 0 });
});

it('a turn that is answered costs what its tokens do', async () => {
  const { turn, session } = await play(say('Hello.'));
  expect(turn).toBeGreaterThan(0);
  expect(session).toBe(turn);
});

it.each([
  ['7.5', '5.5', { inputTokens: 31, outputTokens: 6, cacheReadTokens: 20, cacheWriteTokens: 3 }],
  ['7', '5.5', { inputTokens: 30, outputTokens: 6, cacheReadTokens: 20, cacheWriteTokens: 3 }],
  ['1e300', '5', { inputTokens: 0, outputTokens: 0 }],
  ['-50', '5', { inputTokens: 0, outputTokens: 0 }],
])('a provider that counts %s and %s tokens keeps no turn from ending', async (read, written, counted) => {
  const frames = textFrames('Hello.').join('');
  const odd = frames
    .replace('"input_tokens":7', `"input_tokens":${read}`)
    .replace('"output_tokens":5', `"output_tokens":${written}`);
  const { yard, home, events, turnId } = await play(wire(odd));
  expect(events.find(({ type }) => type === 'usage')?.data).toMatchObject(counted);
  const [sessionId = ''] = events.map((event) => event.sessionId);
  await yard.close();
  // What is stored can be gone on with.
  const server = await serveModel(say('Again.'));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
  const again = await openYard({ home, env, workspace: workBeside(home), logger: quiet });
  onTestFinished(() => again.close());
  const next = await again.client().sessions.send(sessionId, 'and now?');
  const ended = (await readUntil(again, sessionId, isEndOf(next.turnId))).at(-1);
  expect(ended?.data).toMatchObject({ outcome: 'completed' });
  expect((await again.client().runs.get(turnId)).used.tokens).toBeGreaterThanOrEqual(0);
});
