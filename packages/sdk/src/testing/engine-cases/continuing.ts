// Conformance: a turn goes on from its checkpoints after the server died, and no call runs a second time.
import type { ToolCall, ToolOutcome } from '../../engine/engine.ts';
import { assert, assertEqual } from '../support/assertions.ts';
import { type EngineCase, hasText, neverSettles, type Stage } from '../support/engine-stage.ts';

const completed = { outcome: 'completed' };

export const continueCases: EngineCase[] = [
  {
    title: 'continue: a settled call’s result goes in and the call is not repeated',
    async play(stage) {
      const [call] = await crashDuring(stage, 'conformance: one tool');
      const settled = [toOutcome(call, { text: '{"text":"one"}', isError: false })];
      const turn = await stage.play(await resumed(stage), { kind: 'continue', settled });
      assertEqual([turn.outcome, turn.text, turn.host.calls], [completed, 'Done: one', []], 'the turn');
    },
  },
  {
    title: 'continue: a call of unknown outcome is told to the model as such',
    async play(stage) {
      const [call] = await crashDuring(stage, 'conformance: one tool');
      const text = 'The server stopped while this call ran: outcome unknown.';
      const settled = [toOutcome(call, { text, isError: true, outcome: 'unknown' })];
      const turn = await stage.play(await resumed(stage), { kind: 'continue', settled });
      assertEqual(
        [turn.outcome, turn.text, turn.host.calls],
        [completed, 'Outcome unknown, noted.', []],
        'the turn',
      );
    },
  },
  {
    title: 'continue: results arrive for parallel calls, in any order',
    async play(stage) {
      const calls = await crashDuring(stage, 'conformance: parallel tools');
      assertEqual(calls.length, 2, 'calls before the crash');
      const settled = calls
        .map((call) => toOutcome(call, { text: JSON.stringify(call.input), isError: false }))
        .reverse();
      const turn = await stage.play(await resumed(stage), { kind: 'continue', settled });
      assertEqual([turn.outcome, turn.host.calls], [completed, []], 'the turn');
      assert(/a/.test(turn.text) && /b/.test(turn.text), `the answer must name both results: ${turn.text}`);
    },
  },
  {
    title: 'continue: results the transcript already holds change nothing',
    async play(stage) {
      const session = await stage.open({ maxSteps: 1 });
      const { host } = await stage.play(session, 'conformance: one tool');
      const settled = host.calls.map((call) => toOutcome(call, { text: 'outcome unknown', isError: true }));
      const turn = await stage.play(await resumed(stage), { kind: 'continue', settled });
      assertEqual([turn.outcome, turn.text, turn.host.calls], [completed, 'Done: one', []], 'the turn');
    },
  },
  {
    title: 'continue: a turn that failed at its first step is tried again from the message alone',
    async play(stage) {
      const session = await stage.open();
      const first = stage.begin(session, 'conformance: abort while streaming');
      await first.until('the message is stored', () => stage.journal.checkpoints.length > 0);
      stage.journal.crash();
      await session.close();
      await first.end();
      const turn = stage.begin(await resumed(stage), { kind: 'continue', settled: [] });
      await turn.until('text streams', hasText);
      turn.host.abort();
      assertEqual((await turn.end()).outcome, { outcome: 'interrupted' }, 'outcome');
    },
  },
  {
    title: 'continue: a turn that had ended is not answered twice',
    async play(stage) {
      await stage.play(await stage.open(), 'conformance: text');
      const turn = await stage.play(await resumed(stage), { kind: 'continue', settled: [] });
      assertEqual([turn.outcome, turn.text], [completed, ''], 'the turn');
    },
  },
  {
    title: 'resume: a new message after a crash in a tool is accepted, the open call marked unknown',
    async play(stage) {
      await crashDuring(stage, 'conformance: one tool');
      const turn = await stage.play(await resumed(stage), 'conformance: text');
      assertEqual(
        [turn.outcome, turn.text, turn.host.calls],
        [completed, 'Hello from the model.', []],
        'the turn',
      );
    },
  },
  {
    title: 'resume: a new session sees the messages of the one before',
    async play(stage) {
      await stage.play(await stage.open(), 'conformance: text');
      const turn = await stage.play(await resumed(stage), 'conformance: what did I say');
      assertEqual([turn.outcome, turn.text], [completed, 'You said: conformance: text'], 'the answer');
    },
  },
];

/** Plays until the calls of the first step are under way, then drops everything as a killed server would. */
async function crashDuring(stage: Stage, text: string): Promise<[ToolCall, ...ToolCall[]]> {
  const session = await stage.open();
  const turn = stage.begin(session, text, { runTool: neverSettles });
  const expected = text.includes('parallel') ? 2 : 1;
  await turn.until('the calls are under way', ({ calls }) => calls.length === expected);
  stage.journal.crash();
  turn.host.abort();
  await session.close();
  const [first, ...rest] = (await turn.end()).host.calls;
  assert(first !== undefined, 'there must be a call to lose');
  return [first, ...rest];
}

function resumed(stage: Stage) {
  return stage.open({ resume: stage.journal.resume() });
}

function toOutcome(call: ToolCall, result: Pick<ToolOutcome, 'text' | 'isError' | 'outcome'>): ToolOutcome {
  return { toolCallId: call.id, tool: call.name, ...result };
}
