// Conformance: every call goes through the host once, and the model reads what came of it.
import { assert, assertEqual } from '../support/assertions.ts';
import type { EngineCase, PlayedTurn, Stage } from '../support/engine-stage.ts';

const completed = { outcome: 'completed' };
const echo = 'mcp__suite__echo';

export const toolCases: EngineCase[] = [
  {
    title: 'one tool: the call runs once and the model reads its result',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: one tool');
      assertEqual(
        toFacts(turn),
        { outcome: completed, text: 'Calling.Done: one', calls: [{ name: echo, input: { text: 'one' } }] },
        'the turn',
      );
    },
  },
  {
    title: 'parallel tools: calls of one message run side by side',
    async play(stage) {
      let together = 0;
      let max = 0;
      const turn = await stage.play(await stage.open(), 'conformance: parallel tools', {
        async runTool(call) {
          together += 1;
          max = Math.max(max, together);
          await new Promise((resolve) => setTimeout(resolve, 20));
          together -= 1;
          return { toolCallId: call.id, tool: call.name, text: JSON.stringify(call.input), isError: false };
        },
      });
      const calls = [
        { name: echo, input: { text: 'a' } },
        { name: echo, input: { text: 'b' } },
      ];
      assertEqual([turn.outcome, toFacts(turn).calls, max], [completed, calls, 2], 'the turn');
      assert(/a/.test(turn.text) && /b/.test(turn.text), `the answer must name both results: ${turn.text}`);
    },
  },
  {
    title: 'two step tools: each step sees the one before',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: two step tools');
      const calls = [
        { name: echo, input: { text: 'first' } },
        { name: echo, input: { text: 'second' } },
      ];
      assertEqual(toFacts(turn).calls, calls, 'the calls');
      assertEqual([turn.outcome, turn.text.endsWith('Both done.')], [completed, true], 'the end');
    },
  },
  {
    title: 'tool error: a failed call is told to the model, not thrown',
    play: (stage) =>
      playFailedCall(stage, 'tool error', { name: 'mcp__suite__fail', input: {} }, 'The tool failed.'),
  },
  {
    title: 'unknown tool: the host answers for a tool that does not exist',
    play: (stage) =>
      playFailedCall(stage, 'unknown tool', { name: 'mcp__suite__missing', input: {} }, 'No such tool.'),
  },
  {
    title: 'invalid input: the host gets what the model sent, wrong types included',
    play: (stage) =>
      playFailedCall(stage, 'invalid input', { name: echo, input: { text: 42 } }, 'Bad input.'),
  },
  {
    title: 'malformed tool input: broken JSON reaches the host as the string it is',
    async play(stage) {
      const session = await stage.open();
      const turn = await stage.play(session, 'conformance: malformed tool input');
      assertEqual([turn.outcome, turn.text.endsWith('Bad JSON.')], [completed, true], 'the end');
      assertEqual(
        turn.host.calls.map((call) => [call.name, typeof call.input]),
        [[echo, 'string']],
        'the calls',
      );
      const next = await stage.play(session, 'conformance: text');
      assertEqual(next.outcome, completed, 'the next message');
    },
  },
  {
    title: 'endless tools: the turn ends at the step limit',
    async play(stage) {
      const session = await stage.open({ maxSteps: 3 });
      const turn = await stage.play(session, 'conformance: endless tools');
      assert(turn.outcome.outcome === 'limit', `expected the limit, not ${turn.outcome.outcome}`);
      assertEqual(turn.outcome.error.code, 'step_limit', 'code');
      assert(turn.outcome.error.message.includes('3'), 'the sentence must name the limit');
      const steps = turn.host.events.filter((event) => event.type === 'usage').length;
      assertEqual([steps, turn.host.calls.length], [3, 3], 'steps and calls');
      const next = await stage.play(session, 'conformance: text');
      assertEqual(next.outcome, completed, 'the next message');
    },
  },
];

async function playFailedCall(
  stage: Stage,
  name: string,
  call: { name: string; input: unknown },
  end: string,
): Promise<void> {
  const turn = await stage.play(await stage.open(), `conformance: ${name}`);
  assertEqual([turn.outcome, toFacts(turn).calls], [completed, [call]], 'the turn');
  assert(turn.text.endsWith(end), `the answer must end in "${end}": ${turn.text}`);
}

function toFacts(turn: PlayedTurn) {
  return {
    outcome: turn.outcome,
    text: turn.text,
    calls: turn.host.calls.map(({ name, input }) => ({ name, input })),
  };
}
