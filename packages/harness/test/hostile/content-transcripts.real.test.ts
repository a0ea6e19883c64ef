// HOSTILE C4: torn, zero-filled and 200 MB-line transcripts load, warn with the offset, and are never cut in silence.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, ftruncateSync, openSync, statSync } from 'node:fs';
import type { Event } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import {
  answers,
  createOutsideEngine,
  says,
  type TranscriptFile,
  writeTranscript,
} from '../support/transcripts.ts';
import { logOf, openTestYard, temporaryDirectory } from '../support/yard.ts';

const huge = 200 * 2 ** 20;
/** A session is opened after five seconds with what was read by then; on a busy machine the rest comes later. */
const patience = { timeout: 40_000, interval: 200 };

async function open(home: string) {
  const yard = await openTestYard({ engine: createOutsideEngine(home) });
  const { items } = await yard.client().sessions.list();
  return { yard, ids: items.map(({ id }) => id) };
}

function wordsOf(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'user_message') return [`> ${String(event.data.content)}`];
    if (event.type === 'text_delta') return [event.data.text];
    return event.type === 'error' ? [`! ${event.data.message}`] : [];
  });
}

/** Adds bytes that take no room on the disk. */
function addZeros(file: TranscriptFile, length: number): number {
  const { size } = statSync(file.path);
  const handle = openSync(file.path, 'r+');
  ftruncateSync(handle, size + length);
  closeSync(handle);
  return size;
}

describe('C4: a transcript', () => {
  it('with a line of 200 MB loads around it, warns with its offset and takes no more memory than a line may', async () => {
    const home = await temporaryDirectory();
    const file = writeTranscript(home, [says('Before.'), answers('Yes.')]);
    const { size } = statSync(file.path);
    const block = 'x'.repeat(2 ** 20);
    appendFileSync(file.path, '{"type":"user","message":{"content":"');
    for (let written = 0; written < huge; written += block.length) appendFileSync(file.path, block);
    file.append('"}}\n', says('After.'), answers('Still here.'));
    file.settle();
    const { yard, ids } = await open(home);
    const before = process.memoryUsage().rss;
    const length = huge + 40;
    const warning = `${length} bytes at byte ${size} could not be read: a line is longer than 16777216 bytes.`;
    await expect
      .poll(async () => wordsOf(await logOf(yard, ids[0] ?? '')), patience)
      .toEqual(['> Before.', 'Yes.', `! ${warning}`, '> After.', 'Still here.']);
    const events = await logOf(yard, ids[0] ?? '');
    const session = await yard.client().sessions.get(ids[0] ?? '');
    expect(session.warnings).toEqual([warning]);
    const told = events.find(({ type }) => type === 'error');
    expect(told?.data).toEqual({
      code: 'transcript_damaged',
      message: warning,
      data: { path: file.path, offset: size, length },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 2 ** 20);
  }, 60_000);

  it('filled with zeros, in the middle, at the end or from the start, loads and warns', async () => {
    const home = await temporaryDirectory();
    const middle = writeTranscript(home, [says('Middle.')]);
    const gap = addZeros(middle, huge);
    middle.append('\n', answers('Behind the gap.'));
    const end = writeTranscript(home, [says('End.'), answers('Yes.')]);
    const tail = addZeros(end, huge);
    const all = writeTranscript(home, []);
    addZeros(all, huge);
    for (const file of [middle, end, all]) file.settle();
    const { yard, ids } = await open(home);
    const zeros = (at: number) => `! ${huge} bytes at byte ${at} could not be read: they are zero.`;
    const readLogs = () => Promise.all(ids.map(async (id) => wordsOf(await logOf(yard, id))));
    await expect
      .poll(async () => (await readLogs()).sort(), patience)
      .toEqual(
        [[zeros(0)], ['> End.', 'Yes.', zeros(tail)], ['> Middle.', zeros(gap), 'Behind the gap.']].sort(),
      );
  }, 60_000);

  it('torn at every byte of its last line loads what is before it, and warns', async () => {
    const home = await temporaryDirectory();
    const last = JSON.stringify(answers('Wörld', { uuid: 'x', timestamp: undefined }));
    const bytes = Buffer.from(last);
    const cuts = Array.from({ length: 12 }, (_, index) => 1 + Math.floor((index * (bytes.length - 2)) / 11));
    const files = cuts.map((cut) => writeTranscript(home, [says(`Cut at ${cut}.`), bytes.subarray(0, cut)]));
    const { yard, ids } = await open(home);
    expect(ids).toHaveLength(files.length);
    const logs = await Promise.all(ids.map(async (id) => wordsOf(await logOf(yard, id))));
    const expected = files.map(({ path }, index) => {
      const cut = cuts[index] ?? 0;
      const offset = statSync(path).size - cut;
      return [
        `> Cut at ${cut}.`,
        `! ${cut} bytes at byte ${offset} could not be read: the last line is torn.`,
      ];
    });
    expect(logs.sort()).toEqual(expected.sort());
  });

  it('that another process writes while we read comes whole, once and in order', async () => {
    const home = await temporaryDirectory();
    const file = writeTranscript(home, [says('Start.')]);
    const { yard, ids } = await open(home);
    const program = `
      const { appendFileSync } = require('node:fs');
      const say = (type, content) => JSON.stringify({ type, uuid: String(Math.random()), message: { id: String(Math.random()), content, stop_reason: 'end_turn' } }) + '\\n';
      (async () => {
        for (let n = 0; n < 300; n++) {
          const line = say('user', 'question ' + n) + say('assistant', [{ type: 'text', text: 'answer ' + n }]);
          const cut = Math.floor(Math.random() * line.length);
          appendFileSync(process.argv[1], line.slice(0, cut));
          await new Promise(setImmediate);
          appendFileSync(process.argv[1], line.slice(cut));
          if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();`;
    const writer = spawn(process.execPath, ['-e', program, file.path], { stdio: 'inherit' });
    const done = once(writer, 'exit');
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    while (!isDone) await yard.client().sessions.get(ids[0] ?? '');
    const expected = Array.from({ length: 300 }, (_, n) => [`> question ${n}`, `answer ${n}`]).flat();
    expect(wordsOf(await logOf(yard, ids[0] ?? ''))).toEqual(['> Start.', ...expected]);
  }, 60_000);
});
