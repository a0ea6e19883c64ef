import { expect, test } from 'vitest';
import { captureNames, matchPhrase } from '../../../src/rehearsal/scenarios/phrase.ts';
import { processorMs } from '../../support/processor-time.ts';

test('a phrase is found as whole words, in any case and with any spaces', () => {
  const matches = (phrase: string, text: string) => matchPhrase(phrase, text) !== undefined;
  expect({
    inside: matches('ping', 'please PING the server'),
    alone: matches('ping', 'ping'),
    punctuated: matches('hello', '«Hello!»'),
    'across lines': matches('ping the server', 'Ping\n  the   server?'),
    'accented capitals': matches('équipe', 'ÉQUIPE'),
    'part of a word': matches('ping', 'shipping'),
    'start of a word': matches('hi', 'history'),
    'later as a word': matches('hi', 'this is history, hi'),
    absent: matches('pong', 'ping'),
  }).toEqual({
    inside: true,
    alone: true,
    punctuated: true,
    'across lines': true,
    'accented capitals': true,
    'part of a word': false,
    'start of a word': false,
    'later as a word': true,
    absent: false,
  });
});

test('a star stands for anything or nothing, also inside a word', () => {
  const matches = (text: string) => matchPhrase('count * session*', text) !== undefined;
  expect([
    matches('count my sessions'),
    matches('Count all the open session files'),
    matches('count sessions'),
    matches('session count'),
  ]).toEqual([true, true, false, false]);
  expect(matchPhrase('think*', 'I am thinking')).toEqual({});
});

test('a name in braces captures what stands in its place, as it was written', () => {
  expect([
    matchPhrase('add {a} and {b}', 'please add 2 and Three, now'),
    matchPhrase('call me {name}.', 'Call me İsmail.'),
    matchPhrase('{what} is missing', 'The Door is missing'),
    matchPhrase('add {a} and {b}', 'add 2 and'),
    matchPhrase('add {a} and {b}', 'add and 2'),
  ]).toEqual([{ a: '2', b: 'Three, now' }, { name: 'İsmail' }, { what: 'The Door' }, undefined, undefined]);
  expect(captureNames('add {a} and {b} * {c}')).toEqual(['a', 'b', 'c']);
});

test('characters that mean something in a regular expression mean themselves', () => {
  expect(matchPhrase('(a+)+$ [x]', 'what is (a+)+$ [x]?')).toEqual({});
  expect(matchPhrase('.', 'x')).toBeUndefined();
});

test('M6: no phrase and no text make matching slow', () => {
  const started = processorMs();
  const phrase = `${'a*'.repeat(500)}b`;
  matchPhrase(phrase, 'a'.repeat(1_000_000));
  matchPhrase('a'.repeat(1_000), 'a'.repeat(1_000_000));
  matchPhrase(`${'{x}a'.repeat(500)}b`, 'a'.repeat(1_000_000));
  expect(processorMs() - started).toBeLessThan(300);
});

test('only the first 2,000 characters are looked at', () => {
  expect(matchPhrase('ping', `${'x '.repeat(1_500)}ping`)).toBeUndefined();
});
