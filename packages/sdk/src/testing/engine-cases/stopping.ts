// Conformance: an abort or a close ends the turn soon, whatever it waits for, and the session can go on.
import { assertEqual } from '../support/assertions.ts';
import { type EngineCase, hasText, neverSettles, promptlyMs } from '../support/engine-stage.ts';

const completed = { outcome: 'completed' };
const interrupted = { outcome: 'interrupted' };

export const stoppingCases: EngineCase[] = [
  {
    title: 'abort while streaming: the turn is interrupted, what was said stays, the next message works',
    async play(stage) {
      const session = await stage.open();
      const turn = stage.begin(session, 'conformance: abort while streaming');
      await turn.until('text streams', hasText);
      turn.host.abort();
      assertEqual((await turn.end(promptlyMs)).outcome, interrupted, 'outcome');
      const next = await stage.play(session, 'conformance: text');
      assertEqual([next.outcome, next.text], [completed, 'Hello from the model.'], 'the next message');
    },
  },
  {
    title: 'abort in a tool: the turn is interrupted and the next message works',
    async play(stage) {
      const session = await stage.open();
      const turn = stage.begin(session, 'conformance: abort in a tool');
      await turn.until('the tool runs', ({ calls }) => calls.length > 0);
      turn.host.abort();
      assertEqual((await turn.end(promptlyMs)).outcome, interrupted, 'outcome');
      const next = await stage.play(session, 'conformance: text');
      assertEqual([next.outcome, next.text], [completed, 'Hello from the model.'], 'the next message');
    },
  },
  {
    title: 'abort in a tool that never answers: the turn ends all the same',
    async play(stage) {
      const session = await stage.open();
      const turn = stage.begin(session, 'conformance: abort in a tool', { runTool: neverSettles });
      await turn.until('the tool runs', ({ calls }) => calls.length > 0);
      turn.host.abort();
      assertEqual((await turn.end(promptlyMs)).outcome, interrupted, 'outcome');
      const next = await stage.play(session, 'conformance: text');
      assertEqual([next.outcome, next.text], [completed, 'Hello from the model.'], 'the next message');
    },
  },
  {
    title: 'abort while a reader is behind: the turn does not wait for it',
    async play(stage) {
      const turn = stage.begin(await stage.open(), 'conformance: text', {
        emitTakesMs: Number.POSITIVE_INFINITY,
      });
      await turn.until('something is emitted', ({ events }) => events.length > 0);
      turn.host.abort();
      assertEqual((await turn.end(promptlyMs)).outcome, interrupted, 'outcome');
    },
  },
  {
    title: 'abort as a call is announced: it does not run any more, and the next message works',
    async play(stage) {
      for (const moment of ['tool_call_end', 'usage']) {
        const session = await stage.open();
        const turn = await stage.play(session, 'conformance: one tool', {
          onEvent: (event, host) => event.type === moment && host.abort(),
        });
        assertEqual([turn.outcome, turn.host.calls], [interrupted, []], `the turn aborted at ${moment}`);
        const next = await stage.play(session, 'conformance: text');
        assertEqual(next.outcome, completed, 'the next message');
      }
    },
  },
  {
    title: 'aborted before it began: the turn is interrupted and nothing is said or called',
    async play(stage) {
      const session = await stage.open();
      const turn = await stage.begin(session, 'conformance: one tool', { aborted: true }).end(promptlyMs);
      assertEqual([turn.outcome, turn.text, turn.host.calls], [interrupted, '', []], 'the turn');
    },
  },
  {
    title: 'close: it may come twice and in the middle of a turn, which then ends',
    async play(stage) {
      const session = await stage.open();
      const turn = stage.begin(session, 'conformance: abort while streaming');
      await turn.until('text streams', hasText);
      await session.close();
      await turn.end(promptlyMs);
      await session.close();
    },
  },
];
