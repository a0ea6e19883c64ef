import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { openRaw } from '../../store/support.ts';
import { answers, createOutsideEngine, says, writeTranscript } from '../../support/transcripts.ts';
import { converse, firstListed, memoryDirectory, openTestYard } from '../../support/yard.ts';

interface Shown {
  kind: string;
  seq: number;
  words: string;
}

/** Hits in brackets. */
async function find(yard: Yard, q: string): Promise<Shown[]> {
  const { items } = await yard.client().search({ q });
  return items.map(({ kind, seq, snippet }) => ({
    kind,
    seq,
    words: snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join(''),
  }));
}

async function talk(yard: Yard, message: string, title?: string): Promise<string> {
  const { id } = await yard.client().sessions.create(title === undefined ? {} : { title });
  await converse(yard, id, message);
  return id;
}

describe('search', () => {
  it('finds messages, whole answers, calls and titles, and marks what was looked for', async () => {
    const engine = createScriptedEngine({
      reply: ({ step }) =>
        step === 0
          ? [
              ...[{ text: 'The harb' }, { text: 'our is ' }, { text: 'open.' }],
              { calls: [{ tool: 'mcp__toolyard__ping', input: { note: 'harbour\nmaster' } }] },
            ]
          : [{ thinking: 'harbour' }, { text: 'Nothing more.' }],
    });
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create({ title: 'Harbour work', mode: 'bypassPermissions' });
    await converse(yard, id, 'Is the HARBOUR open?');
    expect(await find(yard, 'harbour')).toEqual([
      { kind: 'title', seq: 0, words: '[Harbour] work' },
      { kind: 'tool', seq: 7, words: 'mcp__toolyard__ping {"note":"[harbour] master"}' },
      { kind: 'text', seq: 4, words: 'The [harbour] is open.' },
      { kind: 'user', seq: 1, words: 'Is the [HARBOUR] open?' },
    ]);
    expect((await yard.client().search({ q: 'nothing more' })).items).toEqual([
      {
        sessionId: id,
        title: 'Harbour work',
        cwd: yard.work,
        kind: 'text',
        seq: expect.any(Number),
        at: expect.any(String),
        snippet: [{ text: 'Nothing', hit: true }, { text: ' ' }, { text: 'more', hit: true }, { text: '.' }],
      },
    ]);
  });

  it('takes any query for words, and never fails for one', async () => {
    const yard = await openTestYard();
    await talk(yard, 'say "quoted" NEAR the river -- 100% of C++ a*b 東京 🤖 co-op x^2 {y:z}');
    const odd = [
      '"',
      '""',
      "'",
      '*',
      '-',
      '(',
      ')',
      'NEAR(',
      'NEAR/2',
      'AND',
      'OR NOT',
      'a AND',
      '^',
      ':',
      'words:x',
      '{',
      '\\',
      '%',
      '_',
      '\0',
      '\u202e',
      '\ud800',
      '   ',
      '',
    ];
    for (const q of odd) {
      const { items } = await yard.client().search({ q });
      expect(items.length, q).toBeLessThanOrEqual(2);
    }
    for (const q of [
      '"quoted"',
      'NEAR',
      '-- 100%',
      'C++',
      'a*b',
      '東',
      '🤖',
      'co-op',
      'x^2',
      '{y:z}',
      'near  THE\triver',
    ]) {
      expect(
        (await find(yard, q)).map(({ kind }) => kind),
        q,
      ).toEqual(['text', 'user']);
    }
    await expect(yard.client().search({ q: 'x'.repeat(10_240) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'q: use at most 1000 characters',
    });
    expect(await find(yard, 'word '.repeat(200))).toEqual([]);
  });

  it('shows a piece around the hit, with nothing hidden in it', async () => {
    const yard = await openTestYard({ engine: createScriptedEngine({ reply: () => [{ text: 'ok' }] }) });
    await talk(yard, `${'before '.repeat(100)}\u202eneedle\n<b>${'after '.repeat(100)}`);
    const [hit] = await find(yard, 'needle');
    expect(hit?.words).toMatch(/^…(?:before ){5,9}⟨U\+202E⟩\[needle\] <b>(?:after )+a?f?t?e?r?…$/);
  });

  it('gives pages, the newest first', async () => {
    const yard = await openTestYard({ engine: createScriptedEngine({ reply: () => [{ text: 'ok' }] }) });
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.unshift(await talk(yard, `needle ${number}`));
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await yard.client().search({ q: 'needle', limit: 2, ...(after && { after }) });
      seen.push(...page.items.map(({ sessionId }) => sessionId));
      after = page.next;
      if (!after) break;
    }
    expect(seen).toEqual(ids);
    await expect(yard.client().search({ q: 'x', after: 'there' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('finds a name once it is given, and the old one no more', async () => {
    const yard = await openTestYard();
    const { id } = await yard.client().sessions.create({ title: 'Alpha' });
    await yard.client().sessions.change(id, { title: 'Beta' });
    expect([await find(yard, 'alpha'), (await find(yard, 'beta')).length]).toEqual([[], 1]);
  });

  it('does not tell the first message twice because a session is named after it', async () => {
    const yard = await openTestYard({ engine: createScriptedEngine({ reply: () => [{ text: 'ok' }] }) });
    await talk(yard, 'unmistakable');
    expect((await find(yard, 'unmistakable')).map(({ kind }) => kind)).toEqual(['user']);
  });

  it('finds what was said outside once it was read, and its title before', async () => {
    const home = await memoryDirectory();
    writeTranscript(home, [says('Where is the lighthouse?'), answers('On the northern pier.')]);
    const yard = await openTestYard({ engine: createOutsideEngine(home), home });
    const session = await firstListed(yard);
    expect((await find(yard, 'lighthouse')).map(({ kind }) => kind)).toEqual(['title']);
    await yard.client().sessions.get(session.id);
    expect((await find(yard, 'northern pier')).map(({ kind }) => kind)).toEqual(['text']);
  });

  it('makes an index of what was there before there was one', async () => {
    const home = await memoryDirectory();
    const open = () => openTestYard({ home });
    const before = await open();
    const id = await talk(before, 'an old story', 'Old title');
    await before.close();
    const raw = openRaw(`${home}/toolyard.db`);
    raw.exec(
      "INSERT INTO search_index (search_index) VALUES ('delete-all'); UPDATE search_state SET position = 0, titles = 0",
    );
    raw.close();
    const yard = await open();
    for (let tries = 0; (await yard.client().search({ q: 'x' })).indexing && tries < 50; tries++);
    expect((await find(yard, 'old')).map(({ kind }) => kind)).toEqual(['title', 'text', 'user']);
    expect((await yard.client().search({ q: 'story' })).items[0]?.sessionId).toBe(id);
  });

  it('is for agents, too', async () => {
    const yard = await openTestYard({ engine: createScriptedEngine({ reply: () => [{ text: 'ok' }] }) });
    const id = await talk(yard, 'the treasure map');
    const called = await yard.client().tools.call('mcp__toolyard__search_sessions', {
      input: { query: 'treasure' },
      mode: 'bypassPermissions',
    });
    expect(called.output).toEqual({
      hits: [
        {
          session_id: id,
          title: 'the treasure map',
          cwd: yard.work,
          kind: 'user',
          event: 1,
          at: expect.any(String),
          snippet: 'the treasure map',
        },
      ],
    });
    const active = await yard
      .client()
      .tools.call('mcp__toolyard__list_active_sessions', { mode: 'bypassPermissions' });
    expect(active.output).toMatchObject({
      sessions: [{ title: 'call mcp__toolyard__list_active_sessions' }],
    });
  });
});
