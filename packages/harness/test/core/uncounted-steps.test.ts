// What a turn costs when its model was called and never said what it used, through the whole yard and over the wire.
import { type Event, pause } from '@toolyard/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { openYard } from '../../src/app.ts';
import {
  refuseAs,
  say,
  serveModel,
  textFrames,
  type WireAnswer,
  wire,
  wireAndSilence,
} from '../engines/native/model-server.ts';
import { isEndOf, quiet, readUntil, temporaryDirectory } from '../support/yard.ts';

const begun = textFrames('Once upon').slice(0, 3).join('');

/** One turn on a model that answers like this; `stopAt` interrupts it there. */
async function play(answer: WireAnswer, stopAt?: 'asked' | 'answering') {
  const server = await serveModel(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const home = await temporaryDirectory();
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
  const yard = await openYard({ home, env, workspace: home, logger: quiet });
  onTestFinished(() => yard.close());
  const { sessions } = yard.client();
  const { id } = await sessions.create({ engine: 'native', model: 'anthropic/claude-sonnet-4-5' });
  const { turnId } = await sessions.send(id, 'hi');
  if (stopAt === 'answering') await readUntil(yard, id, ({ type }) => type === 'text_delta');
  while (stopAt === 'asked' && server.requests.length === 0) await pause(5);
  if (stopAt) await sessions.interrupt(id);
  const events = await readUntil(yard, id, isEndOf(turnId));
  return { turn: endOf(events), session: (await sessions.get(id)).costUsd };
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
    expect(await play(answer, stopAt)).toEqual({ turn: null, session: null });
  },
);

it('a turn that is refused costs nothing', async () => {
  const refused = refuseAs(401, 'authentication_error', 'No.');
  expect(await play(refused)).toEqual({ turn: 0, session: 0 });
});

it('a turn that is answered costs what its tokens do', async () => {
  const { turn, session } = await play(say('Hello.'));
  expect(turn).toBeGreaterThan(0);
  expect(session).toBe(turn);
});
