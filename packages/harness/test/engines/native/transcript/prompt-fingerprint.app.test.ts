import { createRecordingHost, suiteTools } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import {
  toAnswerEntry,
  toPartialEntry,
  toUserEntry,
} from '../../../../src/engines/native/transcript/entries.ts';
import { toPromptBase } from '../../../../src/engines/native/transcript/prompt-base.ts';
import {
  toPortable,
  toPromptFingerprint,
} from '../../../../src/engines/native/transcript/prompt-fingerprint.ts';
import { callFrames, frame, messageStart, say, serveModel, wire } from '../model-server.ts';
import { engineOn, spec } from '../native-turn.ts';

const marks = { openai: { itemId: 'rs_1' } };
const thought = { type: 'reasoning' as const, text: 'Hm.', providerOptions: marks };
const words = (text: string) => ({ type: 'text' as const, text, providerOptions: marks });
const bare = (text: string) => ({ type: 'text', text });

describe('an answer goes back to the model', () => {
  const entries = [
    toUserEntry('1'),
    toAnswerEntry([thought, words('old')], { ground: 'a' }),
    toUserEntry('2'),
    toAnswerEntry([thought, words('between')], { ground: 'b' }),
    toUserEntry('3'),
    toPartialEntry([words('broken off')]),
    toAnswerEntry([thought, words('new')], { ground: 'a' }),
  ];
  const answers = (fingerprint: string) =>
    toPortable(entries, fingerprint).flatMap((message) =>
      message.role === 'assistant' ? [message.content] : [],
    );

  it('with its thoughts and marks as long as nothing it stands on has changed since', () => {
    expect(answers('a')).toEqual([
      [bare('old')],
      [bare('between')],
      [bare('broken off')],
      [thought, words('new')],
    ]);
  });

  it('with its words alone on any other ground', () => {
    expect(answers('c')).toEqual(['old', 'between', 'broken off', 'new'].map((text) => [bare(text)]));
  });

  it('on a ground that is the same for the same model, instructions and tools only', () => {
    const grounds = [
      toPromptFingerprint('p/m', 'Be brief.', []),
      toPromptFingerprint('p/n', 'Be brief.', []),
      toPromptFingerprint('p/m', 'Be long.', []),
      toPromptFingerprint('p/m', 'Be brief.', [{ type: 'function', name: 'x', inputSchema: {} }]),
    ];
    expect(new Set(grounds).size).toBe(4);
    expect(toPromptFingerprint('p/m', 'Be brief.', [])).toBe(grounds[0]);
  });

  it('on a ground that is kept with a list of tools, and not for another model or other instructions', () => {
    const promptBase = toPromptBase('p/m', 'Be brief.', suiteTools);
    expect(toPromptBase('p/m', 'Be brief.', suiteTools)).toBe(promptBase);
    const { fingerprint, base } = promptBase;
    const longer = toPromptBase('p/m', 'Be very, very long.', suiteTools);
    const grounds = [
      fingerprint,
      longer.fingerprint,
      toPromptBase('p/n', 'Be brief.', suiteTools).fingerprint,
    ];
    expect([new Set(grounds).size, longer.base > base]).toEqual([3, true]);
    expect(toPromptBase('p/m', 'Be brief.', suiteTools)).toEqual(promptBase);
  });
});

it('a tool that was added takes the thoughts of before along, and leaves the words', async () => {
  const thinking = [
    messageStart(),
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
    frame({ type: 'content_block_stop', index: 0 }),
    ...callFrames('toolu_1', 'mcp__suite__echo', '{"text":"a"}')
      .slice(1)
      .map((text) => text.replace('"index":0', '"index":1')),
  ];
  await using server = await serveModel(wire(thinking.join('')), say('Well.'), say('Still.'), say('Again.'));
  const session = await engineOn(server).start(spec);
  const turn = (specs = suiteTools) =>
    session.prompt({ kind: 'message', content: 'hi' }, createRecordingHost({ specs }));
  await turn();
  await turn();
  await turn(suiteTools.slice(1));
  expect(server.requests.map((request) => JSON.stringify(request).includes('c2ln'))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(JSON.stringify(server.requests[3])).toContain('toolu_1');
});
