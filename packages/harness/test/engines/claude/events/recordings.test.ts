// What the real CLI said, translated: each recording beside the list of everything it stands for, in a file that a
// person can read. `record.ts` refreshes the recordings; `vitest -u` the lists, whose difference is then to be judged.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTranslation, type Translated } from '../../../../src/engines/claude/events/translate.ts';
import { recordedSessions } from '../recorded-sessions.ts';

const folder = new URL('../recordings/', import.meta.url);

describe('a recording of the real CLI stands for', () => {
  it.each(recordedSessions.map(({ name }) => name))('%s', async (name) => {
    const translation = createTranslation();
    const lines = readRecording(name).flatMap((message) => toLines(translation.take(message)));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(new URL(`${name}.events.txt`, folder).pathname);
  });

  it('one that record.ts still makes', () => {
    const found = readdirSync(folder).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -6)] : []));
    expect(found.sort()).toEqual(recordedSessions.map(({ name }) => name).sort());
  });
});

describe('whatever is missing from a recording', () => {
  it('the order of what is left makes no event twice and nothing throws', () => {
    for (const { name } of recordedSessions) {
      const messages = readRecording(name);
      for (const left of [messages.filter((_, index) => index % 2 === 0), messages.toReversed()]) {
        const translation = createTranslation();
        expect(() => left.map((message) => translation.take(message))).not.toThrow();
      }
    }
  });

  it('without its pieces the whole messages say the same', () => {
    for (const name of ['text', 'thinking', 'mcp-tool', 'parallel-tools', 'tool-input-deltas']) {
      const messages = readRecording(name);
      const whole = messages.filter((message) => !isPiece(message));
      expect(gist(whole), name).toEqual(gist(messages));
    }
  });
});

function readRecording(name: string): unknown[] {
  const text = readFileSync(new URL(`${name}.jsonl`, folder), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

function isPiece(message: unknown): boolean {
  return JSON.stringify(message).includes('"type":"stream_event"');
}

/** All that was said and called, whatever the pieces. */
function gist(messages: unknown[]) {
  const translation = createTranslation();
  const said = { text: '', thinking: '', calls: [] as unknown[] };
  for (const { events } of messages.map((message) => translation.take(message))) {
    for (const event of events) {
      if (event.type === 'text_delta') said.text += event.data.text;
      if (event.type === 'thinking_delta') said.thinking += event.data.text;
      if (event.type === 'tool_call_start' || event.type === 'tool_call_end') said.calls.push(event);
    }
  }
  return said;
}

function toLines({ events, results, token, lastUuid, ended }: Translated): string[] {
  return [
    ...(token ? [`token ${token}`] : []),
    ...(lastUuid ? [`entry ${lastUuid}`] : []),
    ...events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`),
    ...results.map((result) => `result ${JSON.stringify(result)}`),
    ...(ended ? [`ended ${JSON.stringify(ended, null, 2)}`] : []),
  ];
}
