// Conformance: a failing model is an outcome with a code and a sentence, reached in bounded time, and nothing is lost
// of what it said before.
import type { ErrorCode } from '../../protocol/error.ts';
import { assert, assertEqual } from '../support/assertions.ts';
import type { EngineCase, PlayedTurn, Stage } from '../support/engine-stage.ts';

const completed = { outcome: 'completed' };

export const failureCases: EngineCase[] = [
  {
    title: 'overload then success: the engine tries again by itself',
    play: (stage) => playRecovery(stage, 'overload then success'),
  },
  {
    title: 'rate limited: the engine waits as long as it is told, then goes on',
    async play(stage) {
      const startedAt = performance.now();
      await playRecovery(stage, 'rate limited');
      const waitedMs = performance.now() - startedAt;
      assert(waitedMs >= 900, `retry-after said one second, the engine waited ${Math.round(waitedMs)} ms`);
    },
  },
  {
    title: 'overload for ever: the engine gives up and says so',
    play: (stage) => playFailure(stage, 'overload for ever', 'provider_overloaded'),
  },
  {
    title: 'unauthorized: the credentials are named as the cause',
    play: (stage) => playFailure(stage, 'unauthorized', 'provider_auth'),
  },
  {
    title: 'refusal: a model that declines to answer is a failed turn',
    play: (stage) => playFailure(stage, 'refusal', 'provider_rejected'),
  },
  {
    title: 'stream cut: the turn fails and keeps what was streamed',
    async play(stage) {
      const turn = await playFailure(stage, 'stream cut', 'stream_cut');
      assert(turn.text.length > 0, 'the text before the cut must be emitted');
    },
  },
  {
    title: 'malformed data: a broken stream fails the turn',
    play: (stage) => playFailure(stage, 'malformed data', 'malformed_response'),
  },
];

async function playRecovery(stage: Stage, name: string): Promise<void> {
  const turn = await stage.play(await stage.open(), `conformance: ${name}`);
  assertEqual([turn.outcome, turn.text], [completed, 'Recovered.'], 'the answer');
}

/** The turn fails as it should, and the session is still good for the next message. */
async function playFailure(stage: Stage, name: string, code: ErrorCode): Promise<PlayedTurn> {
  const session = await stage.open();
  const turn = await stage.play(session, `conformance: ${name}`);
  assert(turn.outcome.outcome === 'failed', `expected a failed turn, not ${turn.outcome.outcome}`);
  assertEqual(turn.outcome.error.code, code, 'code');
  assert(turn.outcome.error.message.length > 20, 'the failure must say what happened');
  assertEqual(turn.host.calls, [], 'calls');
  const next = await stage.play(session, 'conformance: text');
  assertEqual(next.outcome, completed, 'the next message');
  return turn;
}
