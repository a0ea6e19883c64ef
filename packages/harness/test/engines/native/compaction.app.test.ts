import type { EngineSession, Resume } from '@toolyard/sdk';
import { createJournal, createRecordingHost, type Journal, type RecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { refuseAs, say, serveModel, wireAndSilence } from './model-server.ts';
import { accessTo, failureOf, spec } from './native-turn.ts';
import { type Meter, serveMeter } from './wires/anthropic-meter.ts';

const window = 10_000;
const long = (words: string, characters: number) => `${words} ${'x'.repeat(characters)}`;

/** Says how much it was told, or sums it up in a few words. */
const answer = (last: string) =>
  last.includes('Write a summary') ? 'We counted to some number.' : long('Noted.', 900);

function open(
  meter: { url: string },
  resume: Resume = { entries: [] },
  size = window,
  maxSteps = 5,
): Promise<EngineSession> {
  const access = accessTo({ baseUrl: meter.url, window: size, maxOutput: 8_000 });
  return createNativeEngine({ access, retry: { attempts: 1 } }).start({ ...spec, resume, maxSteps });
}

async function turn(session: EngineSession, journal: Journal, content: string) {
  const host = createRecordingHost({ journal });
  return { host, outcome: await session.prompt({ kind: 'message', content }, host) };
}

/** Talks until the window is nearly full: the next turn has to make room. */
async function fill(meter: Meter, journal: Journal): Promise<EngineSession> {
  const session = await open(meter);
  while ((meter.metered.at(-1)?.read ?? 0) + (meter.metered.at(-1)?.written ?? 0) < 6_500)
    await turn(session, journal, long('More.', 900));
  return session;
}

const notesOf = ({ events }: RecordingHost) =>
  events.flatMap((event) => (event.type === 'raw' ? [Object(event.data.message)] : []));
const entriesOf = (journal: Journal) =>
  journal.resume().entries.map((entry) => Object.keys(Object(entry))[0]);

describe('near the end of the window', () => {
  it('the model’s own summary takes the place of what was said, and the log tells of it', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    const session = await fill(meter, journal);
    const before = journal.checkpoints.length;
    const { host, outcome } = await turn(session, journal, 'and on?');
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(notesOf(host)).toEqual([
      {
        note: expect.stringContaining('The conversation was summarised to make room'),
        type: 'compaction',
        before: expect.any(Number),
        after: expect.any(Number),
        keep: expect.any(Number),
        summary: 'We counted to some number.',
      },
    ]);
    expect(entriesOf(journal).slice(before)).toEqual(['message', 'compacted', 'message']);
    // Both the summary and the answer were paid for.
    expect(host.events.filter(({ type }) => type === 'usage').length).toBe(2);
    expect(
      host.events.some((event) => event.type === 'text_delta' && event.data.text.includes('counted')),
    ).toBe(false);
    expect(meter.refusals).toEqual([]);
  });

  it('a session that is resumed goes on from the same summary', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    await turn(await fill(meter, journal), journal, 'and on?');
    const resumed = await open(meter, journal.resume());
    expect((await turn(resumed, journal, 'still there?')).outcome).toEqual({ outcome: 'completed' });
    const last = meter.metered.at(-1);
    // The whole of what was sent before was found in the cache: it is the same, byte for byte.
    expect(last?.read).toBeGreaterThan(1_000);
    expect(last?.input).toBeLessThan(10);
  });

  it('a crash before the summary is stored changes nothing, and the next turn makes it again', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    const session = await fill(meter, journal);
    const host = createRecordingHost({
      journal,
      onEvent: (event) => event.type === 'usage' && journal.crash(),
    });
    await session.prompt({ kind: 'message', content: 'and on?' }, host);
    expect(entriesOf(journal)).not.toContain('compacted');
    expect(entriesOf(journal).at(-1)).toBe('message');

    const after = createJournal();
    for (const step of journal.checkpoints) after.save(step);
    const resumed = await open(meter, after.resume());
    const second = createRecordingHost({ journal: after });
    expect(await resumed.prompt({ kind: 'continue', settled: [] }, second)).toEqual({ outcome: 'completed' });
    expect(entriesOf(after).filter((kind) => kind === 'compacted').length).toBe(1);
    expect(notesOf(second).length).toBe(1);
  });

  it('an interrupt while it is summarised ends the turn and leaves all as it was', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    await fill(meter, journal);
    await using slow = await serveModel(wireAndSilence(''));
    const session = await open(slow, journal.resume());
    const host = createRecordingHost({ journal });
    const running = session.prompt({ kind: 'message', content: 'and on?' }, host);
    await expect.poll(() => slow.requests.length).toBe(1);
    host.abort();
    expect(await running).toEqual({ outcome: 'interrupted' });
    expect(entriesOf(journal)).not.toContain('compacted');
  });

  it('a summary that fails is told of, and the turn goes on without it', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    await fill(meter, journal);
    const overloaded = refuseAs(529, 'overloaded_error', 'Overloaded');
    await using server = await serveModel(overloaded, say('All the same.'), say('And again.'));
    const { host, outcome } = await turn(await open(server, journal.resume()), journal, 'and on?');
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(notesOf(host)).toEqual([
      expect.objectContaining({ note: expect.stringMatching(/could not be summarised .*overloaded/) }),
    ]);
    expect(server.requests.length).toBe(2);
  });

  it('is noticed by the provider when our guess was wrong, and mended all the same', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    await fill(meter, journal);
    const tooLong = refuseAs(
      400,
      'invalid_request_error',
      'prompt is too long: 10001 tokens > 10000 maximum',
    );
    await using server = await serveModel(tooLong, say('We counted.'), say('Here I am.'));
    const session = await open(server, journal.resume(), 1_000_000);
    const { host, outcome } = await turn(session, journal, 'and on?');
    expect(outcome).toEqual({ outcome: 'completed' });
    expect([server.requests.length, notesOf(host).length]).toEqual([3, 1]);
    expect(JSON.stringify(server.requests[2])).toContain('We counted.');
  });
});

describe('a window that is smaller than it was said to be', () => {
  it.each([1, 3])(
    'is found out by the provider’s refusals, also when its tokens are %ix as many',
    async (factor) => {
      await using meter = await serveMeter({ window: window / factor, answer });
      const journal = createJournal();
      const session = await open(meter, { entries: [] }, 1_000_000);
      for (let at = 0; at < 25; at += 1)
        expect((await turn(session, journal, long('More.', 900))).outcome).toEqual({ outcome: 'completed' });
      expect(meter.refusals.length).toBeGreaterThan(0);
    },
  );

  it('is tried as smaller and smaller, for a summary, too, and given up in the end', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    await fill(meter, journal);
    const tooLong = refuseAs(400, 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum');
    await using late = await serveModel(tooLong, tooLong, tooLong, say('We counted.'));
    const { host, outcome } = await turn(await open(late, journal.resume(), 1_000_000), journal, 'and on?');
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(notesOf(host)[0]).toMatchObject({ summary: 'We counted.' });
    const [, ...tried] = late.requests.slice(0, 4).map((request) => JSON.stringify(request).length);
    expect(tried).toEqual([...new Set(tried)].sort((one, other) => other - one));
    await using never = await serveModel(tooLong);
    const failed = await turn(await open(never, journal.resume(), 1_000_000), journal, 'and on?');
    expect(failureOf(failed.outcome).message).toMatch(/no longer fits/);
    expect(never.requests.length).toBeLessThan(12);
  });
});

describe('a window that nobody told us of', () => {
  it('is left alone until the provider says that it is full', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    const access = accessTo({ baseUrl: meter.url });
    const session = await createNativeEngine({ access }).start(spec);
    for (let at = 0; at < 12; at += 1)
      expect((await turn(session, journal, long('More.', 900))).outcome).toEqual({ outcome: 'completed' });
    expect(meter.refusals.length).toBeGreaterThan(0);
    expect(entriesOf(journal)).toContain('compacted');
    expect(await session.contextUsage?.()).toBeUndefined();
  });
});

describe('what cannot be made to fit', () => {
  const tooLong = (message: string) => refuseAs(400, 'invalid_request_error', message);

  it('fails with one sentence that says what to do, after the one thing that could help', async () => {
    await using server = await serveModel(tooLong('prompt is too long: 99999 tokens > 10000 maximum'));
    const { outcome } = await turn(await open(server), createJournal(), long('Read this.', 40_000));
    expect(failureOf(outcome)).toEqual({
      code: 'provider_rejected',
      message:
        'The conversation no longer fits the model’s context window (prompt is too long: 99999 tokens > 10000 maximum). Send less at once, use a model with a larger window, or start a new session.',
    });
    expect(server.requests.length).toBe(1);
  });
});

describe('a turn of many calls', () => {
  it('is summarised between its steps, never between a call and its result', async () => {
    let calls = 0;
    const echo = () => ({ id: `toolu_${++calls}`, name: 'mcp__suite__echo', input: { text: 'a' } });
    await using meter = await serveMeter({
      window,
      answer: (last) => (last.includes('Write a summary') ? 'Echoed.' : calls < 20 ? echo() : 'Done.'),
    });
    const session = await open(meter, { entries: [] }, window, 30);
    const host = createRecordingHost({
      runTool: async ({ id, name }) => ({
        toolCallId: id,
        tool: name,
        text: 'x'.repeat(2_000),
        isError: false,
      }),
    });
    const outcome = await session.prompt({ kind: 'message', content: 'echo a lot' }, host);
    // The double refuses a call without its result as the service does.
    expect([outcome, meter.refusals, host.calls.length]).toEqual([{ outcome: 'completed' }, [], 20]);
    expect(notesOf(host).length).toBeGreaterThan(2);
  });
});

describe('a model with a smaller window than the one before', () => {
  it('is given the conversation in pieces it can read', async () => {
    await using big = await serveMeter({ window: 100_000, answer });
    const journal = createJournal();
    const session = await open(big, { entries: [] }, 100_000);
    for (let at = 0; at < 25; at += 1) await turn(session, journal, long('More.', 900));
    await using small = await serveMeter({ window, answer });
    const { host, outcome } = await turn(await open(small, journal.resume()), journal, 'and on?');
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(small.refusals).toEqual([]);
    expect(notesOf(host).length).toBeGreaterThan(1);
  });
});
