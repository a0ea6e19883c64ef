// Wire traces: nothing secret in them, nothing without bound, and never a reason for a session to fail.
import { lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../../src/core/operator-log/redact.ts';
import { toTraceLine } from '../../../src/core/operator-log/trace-line.ts';
import { createTraces } from '../../../src/core/operator-log/traces.ts';
import { memoryDirectory } from '../../support/yard.ts';

const at = '2026-11-15T08:00:00.000Z';
const redact = createRedact({ GITHUB_TOKEN: 'ghp_0123456789', PATH: '/usr/bin:/bin' }, ['tyd_0123456789']);

function trace(line: unknown): unknown {
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  return JSON.parse(toTraceLine(at, 'out', text, redact));
}

describe('a line of a trace', () => {
  it('is the message with its time and direction', () => {
    const message = { type: 'control_request', request: { subtype: 'interrupt' } };
    expect(JSON.parse(toTraceLine(at, 'in', JSON.stringify(message), redact))).toEqual({
      at,
      direction: 'in',
      message,
    });
  });

  it.each([
    [
      'a known value anywhere',
      { a: ['use ghp_0123456789 now', 'tyd_0123456789'] },
      { a: ['use [redacted] now', '[redacted]'] },
    ],
    [
      'a value by the name of its key',
      { apiKey: 'x', nested: { password: 1 } },
      { apiKey: '[redacted]', nested: { password: '[redacted]' } },
    ],
    [
      'a name inside the JSON of a result',
      { text: '{"session_token":"abc","n":1}' },
      { text: '{"session_token":"[redacted]","n":1}' },
    ],
    ['whose account it is', { account: { email: 'a@b.c' }, ok: true }, { account: '[redacted]', ok: true }],
    ['a known value as a key', { ghp_0123456789: 1 }, { '[redacted]': 1 }],
  ])('holds no secret: %s', (_, message, shown) => {
    expect(trace(message)).toEqual({ at, direction: 'out', message: shown });
  });

  it('keeps counts of tokens', () => {
    const usage = { input_tokens: 12, output_tokens: 3 };
    expect(trace({ usage })).toEqual({ at, direction: 'out', message: { usage } });
  });

  it.each([
    [
      { type: 'text_delta', text: 'ghp_01' },
      { type: 'text_delta', text: '[6 characters]' },
    ],
    [
      { type: 'input_json_delta', partial_json: '{"to' },
      { type: 'input_json_delta', partial_json: '[4 characters]' },
    ],
    [
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'thinking_delta', thinking: '[2 characters]' },
    ],
  ])('counts what comes in pieces, since half a secret passes every check: %j', (delta, shown) => {
    const event = (piece: unknown) => ({
      type: 'stream_event',
      event: { type: 'content_block_delta', delta: piece },
    });
    expect(trace(event(delta))).toEqual({ at, direction: 'out', message: event(shown) });
  });

  it('shortens long texts, an image among them', () => {
    expect(trace({ data: 'A'.repeat(5_000) })).toEqual({
      at,
      direction: 'out',
      message: { data: `${'A'.repeat(4_000)}… [1000 more characters]` },
    });
  });

  it('leaves out what is large all the same', () => {
    const line = JSON.stringify(Array.from({ length: 500 }, () => 'x'.repeat(1_000)));
    expect(trace(line)).toEqual({
      at,
      direction: 'out',
      note: `a line of ${line.length} characters omitted`,
    });
  });

  it('shows garbage as the text it is, redacted', () => {
    expect(trace('{"half ghp_0123456789')).toEqual({ at, direction: 'out', text: '{"half [redacted]' });
  });

  it('bears a message of any depth', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    expect(JSON.stringify(trace(deep))).toContain('[deeper than is shown]');
  });
});

async function openTraces({ maxBytes = 10_000, all = false } = {}) {
  const folder = join(await memoryDirectory(), 'traces');
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string) => void warnings.push(message),
  };
  const traces = createTraces({
    folder,
    logger,
    redact,
    all,
    maxBytes,
    clock: { now: () => Date.parse(at) },
  });
  const read = async (id: string) => {
    await traces.close();
    const text = await readFile(join(folder, `${id}.jsonl`), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { traces, folder, warnings, read };
}

describe('traces', () => {
  it('hold what is said from the moment somebody wants them, in order', async () => {
    const { traces, read } = await openTraces();
    expect(traces.tapOf('ses_1')).toBeUndefined();
    traces.want('ses_1', true);
    for (let n = 0; n < 50; n++) traces.tapOf('ses_1')?.('out', JSON.stringify({ n }));
    expect(await read('ses_1')).toEqual([
      { at, note: 'trace of ses_1' },
      ...Array.from({ length: 50 }, (_, n) => ({ at, direction: 'out', message: { n } })),
    ]);
    expect(traces.tapOf('ses_2')).toBeUndefined();
  });

  it('of every session, when the server was started so', async () => {
    const { traces, read } = await openTraces({ all: true });
    traces.tapOf('ses_2')?.('in', '{}');
    expect(await read('ses_2')).toEqual([{ at, direction: 'in', message: {} }]);
  });

  it('stop when they are no longer wanted, also for a process that goes on', async () => {
    const { traces, read } = await openTraces();
    traces.want('ses_1', true);
    const tap = traces.tapOf('ses_1');
    traces.want('ses_1', false);
    tap?.('out', '{}');
    expect(await read('ses_1')).toEqual([{ at, note: 'trace of ses_1' }]);
  });

  it('are for their owner’s eyes only', async () => {
    const { traces, folder, read } = await openTraces();
    traces.want('ses_1', true);
    await read('ses_1');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'ses_1.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('end at their size with a word of it, and take no memory after that', async () => {
    const { traces, folder, read } = await openTraces({ maxBytes: 2_000 });
    traces.want('ses_1', true);
    const tap = traces.tapOf('ses_1');
    for (let n = 0; n < 10_000; n++) tap?.('out', JSON.stringify({ n, text: 'x'.repeat(1_000) }));
    const lines = await read('ses_1');
    expect(lines.at(-1)).toEqual({ note: 'the trace ends here: it has reached 2000 bytes' });
    tap?.('out', '{}');
    expect(await read('ses_1')).toEqual(lines);
    expect((await stat(join(folder, 'ses_1.jsonl'))).size).toBeLessThan(2_200);
  });

  it('never write through a link that lies in their place', async () => {
    const { traces, folder, warnings } = await openTraces();
    await mkdir(folder, { recursive: true });
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, join(folder, 'ses_1.jsonl'));
    traces.want('ses_1', true);
    await traces.close();
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
    expect((await lstat(join(folder, 'ses_1.jsonl'))).isSymbolicLink()).toBe(true);
    expect(warnings).toEqual(['could not write a trace']);
  });

  it('that cannot be written are lost, told once to the log, and disturb nobody', async () => {
    const { traces, folder, warnings } = await openTraces();
    await writeFile(folder, 'a file where the folder should be');
    traces.want('ses_1', true);
    traces.tapOf('ses_1')?.('out', '{}');
    await traces.close();
    traces.tapOf('ses_1')?.('out', '{}');
    await traces.close();
    expect(warnings).toEqual(['could not write a trace']);
  });
});
