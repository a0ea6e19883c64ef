import { expect, test } from 'vitest';
import { didYouMean, findNearest, findNearestOrLonger } from '../../../src/core/lib/did-you-mean.ts';
import { processorMs } from '../../support/processor-time.ts';

const commands = ['serve', 'run', 'sessions', 'tools', 'rehearse', 'config', 'doctor'];

test('a slip of one or two letters finds the word that was meant', () => {
  const slips = ['srve', 'rnu', 'Session', 'toolss', 'reherse', 'confgi', 'docter'];
  expect(slips.map((slip) => findNearest(slip, commands))).toEqual(commands);
});

test('a word unlike every candidate finds nothing', () => {
  expect(['banana', 'x', '', 'zzzzzz'].map((word) => findNearest(word, commands))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('the start of a word finds the shortest that goes on from it', () => {
  const providers = ['anthropic', 'openai-chat', 'openai'];
  expect(['open', 'Anthro', 'op', 'openly'].map((start) => findNearestOrLonger(start, providers))).toEqual([
    ...['openai', 'anthropic', undefined, 'openai'],
  ]);
});

test('a very long word is compared by its start only', () => {
  const started = processorMs();
  expect(findNearest('s'.repeat(1_000_000), commands)).toBeUndefined();
  expect(processorMs() - started).toBeLessThan(200);
});

test('the suggestion is a sentence, or nothing', () => {
  expect([didYouMean('prot', ['host', 'port']), didYouMean('banana', ['host', 'port'])]).toEqual([
    ' Did you mean "port"?',
    '',
  ]);
});
