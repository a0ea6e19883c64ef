// Conformance: what a model says arrives whole, in order, and at the pace of the reader.
import { assert, assertEqual } from '../support/assertions.ts';
import type { EngineCase } from '../support/engine-stage.ts';

const completed = { outcome: 'completed' };

export const answerCases: EngineCase[] = [
  {
    title: 'text: a plain answer streams and completes, with its usage',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: text');
      assertEqual(turn.outcome, completed, 'outcome');
      assertEqual(turn.text, 'Hello from the model.', 'text');
      const usages = turn.host.events.filter((event) => event.type === 'usage');
      assertEqual(usages.length, 1, 'usage events');
      assert(turn.host.events.at(-1)?.type === 'usage', 'usage must follow the text it counts');
    },
  },
  {
    title: 'text: a message may come in parts',
    async play(stage) {
      const content = [{ type: 'text' as const, text: 'conformance: text' }];
      const turn = await stage.play(await stage.open(), { kind: 'message', content });
      assertEqual([turn.outcome, turn.text], [completed, 'Hello from the model.'], 'the answer');
    },
  },
  {
    title: 'thinking: thoughts come as thinking, apart from the text',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: thinking');
      assertEqual([turn.outcome, turn.text], [completed, 'Thought.'], 'the answer');
      assert(turn.thinking.length > 0, 'the thoughts must be emitted');
    },
  },
  {
    title: 'big text: one mebibyte arrives whole',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: big text');
      assertEqual([turn.outcome, turn.text.length], [completed, 1_048_576], 'the answer');
      assert(/^x+$/.test(turn.text), 'every character must be an x');
    },
  },
  {
    title: 'unicode: characters split between chunks arrive whole',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: unicode');
      assertEqual([turn.outcome, turn.text], [completed, 'héllo 🌍 — 日本語 👩‍👩‍👧'], 'the answer');
    },
  },
  {
    title: 'slow reader: the engine waits for each emit before it goes on',
    async play(stage) {
      const turn = await stage.play(await stage.open(), 'conformance: one tool', { emitTakesMs: 20 });
      assertEqual([turn.outcome, turn.text], [completed, 'Calling.Done: one'], 'the answer');
    },
  },
  {
    title: 'memory: a second message in the same session sees the first',
    async play(stage) {
      const session = await stage.open();
      await stage.play(session, 'conformance: text');
      const turn = await stage.play(session, 'conformance: what did I say');
      assertEqual([turn.outcome, turn.text], [completed, 'You said: conformance: text'], 'the answer');
    },
  },
  {
    title: 'two sessions: what is said in one is unknown in the other',
    async play(stage) {
      const [first, second] = [await stage.open(), await stage.open()];
      const expected = 'You said: conformance: what did I say';
      const turns = await Promise.all([
        stage.play(first, 'conformance: text'),
        stage.play(second, 'conformance: what did I say'),
      ]);
      assertEqual(
        turns.map((turn) => turn.text),
        ['Hello from the model.', expected],
        'the answers',
      );
    },
  },
];
