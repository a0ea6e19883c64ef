// What was said elsewhere as turns of our log.
import type { TranscriptFact } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { toPlan } from '../../../src/core/transcripts/transcript-plan.ts';

const at = '2026-01-02T03:04:05.000Z';
const text = (words: string): TranscriptFact => ({
  kind: 'event',
  at,
  event: { type: 'text_delta', data: { text: words } },
});

function plan(facts: TranscriptFact[], openTurnId?: string) {
  let made = 0;
  return toPlan(facts, { path: '/the/file', openTurnId, newTurnId: () => `trn_${++made}` });
}

it('a message begins a turn, an end ends it, and one without an end stays open', () => {
  const facts: TranscriptFact[] = [
    { kind: 'message', at, content: 'One?' },
    text('One.'),
    { kind: 'end', at, outcome: 'completed' },
    { kind: 'message', at, content: 'Two?' },
    { kind: 'message', at, content: 'And this.', isAdded: true },
  ];
  expect(plan(facts)).toEqual({
    drafts: [
      { type: 'user_message', at, data: { content: 'One?', turnId: 'trn_1' } },
      { type: 'turn_start', at, data: { turnId: 'trn_1' } },
      { type: 'text_delta', at, data: { text: 'One.' } },
      { type: 'turn_end', at, data: { turnId: 'trn_1', outcome: 'completed', costUsd: null } },
      { type: 'user_message', at, data: { content: 'Two?', turnId: 'trn_2' } },
      { type: 'turn_start', at, data: { turnId: 'trn_2' } },
      { type: 'user_message', at, data: { content: 'And this.', turnId: 'trn_2' } },
    ],
    begun: [
      { id: 'trn_1', content: 'One?', at },
      { id: 'trn_2', content: 'Two?', at },
    ],
    ended: [{ id: 'trn_1', outcome: 'completed', at }],
    warnings: [],
    openTurnId: 'trn_2',
  });
});

it('a new message ends the turn before it as interrupted, also one of an earlier reading', () => {
  const { drafts, ended, openTurnId } = plan(
    [text('More.'), { kind: 'message', at, content: 'Next.' }],
    'trn_0',
  );
  expect(drafts.map(({ type }) => type)).toEqual(['text_delta', 'turn_end', 'user_message', 'turn_start']);
  expect({ ended, openTurnId }).toEqual({
    ended: [{ id: 'trn_0', outcome: 'interrupted', at }],
    openTurnId: 'trn_1',
  });
});

it('words that nobody asked for are a turn of their own, notes and ends outside of one are none', () => {
  const note: TranscriptFact = {
    kind: 'event',
    at,
    event: { type: 'raw', data: { engine: 'x', message: 1 } },
  };
  const facts: TranscriptFact[] = [{ kind: 'end', at, outcome: 'completed' }, note, text('By the way.')];
  const { drafts, begun } = plan(facts);
  expect(drafts.map(({ type }) => type)).toEqual(['raw', 'turn_start', 'text_delta']);
  expect(begun).toEqual([{ id: 'trn_1', content: '(went on by itself)', at }]);
});

it('damage is an error in the log and a warning, with where it lies; a failure ends its turn', () => {
  const error = { code: 'provider_failed' as const, message: 'No.' };
  const facts: TranscriptFact[] = [
    { kind: 'damage', at, offset: 7, length: 3, message: '3 bytes at byte 7.' },
    { kind: 'end', at, outcome: 'failed', error },
  ];
  const data = { path: '/the/file', offset: 7, length: 3 };
  expect(plan(facts, 'trn_0')).toEqual({
    drafts: [
      { type: 'error', at, data: { code: 'transcript_damaged', message: '3 bytes at byte 7.', data } },
      { type: 'error', at, data: error },
      { type: 'turn_end', at, data: { turnId: 'trn_0', outcome: 'failed', error, costUsd: null } },
    ],
    begun: [],
    ended: [{ id: 'trn_0', outcome: 'failed', error, at }],
    warnings: ['3 bytes at byte 7.'],
  });
});
