// What is read of a transcript, and from where it goes on: nothing twice, nothing lost, damage told with its place.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TranscriptFact } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { newPromptId } from '../../../../src/engines/claude/lib/prompt-id.ts';
import {
  answers,
  at,
  calls,
  type Fields,
  readAll,
  returns,
  says,
  toLine,
  writeTranscript,
} from '../../../support/transcripts.ts';
import { temporaryDirectory } from '../../../support/yard.ts';

const usage = {
  inputTokens: 12,
  outputTokens: 5,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  costUsd: null,
};

const message = (content: string): TranscriptFact => ({ kind: 'message', at, content });
const text = (words: string): TranscriptFact => ({
  kind: 'event',
  at,
  event: { type: 'text_delta', data: { text: words } },
});
const used: TranscriptFact = { kind: 'event', at, event: { type: 'usage', data: usage } };
const completed: TranscriptFact = { kind: 'end', at, outcome: 'completed' };
const damage = (offset: number, length: number, why: string): TranscriptFact => {
  const sentence = `${length} bytes at byte ${offset} could not be read: ${why}.`;
  return { kind: 'damage', at, offset, length, message: sentence };
};

describe('a conversation', () => {
  it('is told as it went, tools and usage included', async () => {
    const home = await temporaryDirectory();
    const file = writeTranscript(home, [
      { type: 'queue-operation', operation: 'enqueue' },
      says('Look around.'),
      { ...says(''), type: 'attachment', message: undefined, attachment: { type: 'environment' } },
      calls('t1', 'Bash', { command: 'ls' }),
      returns('t1', [
        { type: 'text', text: 'a file' },
        { type: 'image', source: {} },
      ]),
      calls('t2', 'mcp__toolyard__ping', {}),
      returns('t2', 'no', true),
      answers('Done.'),
      { type: 'cost-state', totalCostUSD: 0.25 },
    ]);
    const { facts } = await readAll(file);
    const event = (event: unknown) => ({ kind: 'event', at, event });
    expect(facts).toEqual([
      message('Look around.'),
      event({ type: 'tool_call_start', data: { toolCallId: 't1', tool: 'claude:Bash' } }),
      event({ type: 'tool_call_end', data: { toolCallId: 't1', input: { command: 'ls' } } }),
      used,
      event({ type: 'tool_result', data: { toolCallId: 't1', isError: false, output: 'a file\n[image]' } }),
      event({ type: 'tool_call_start', data: { toolCallId: 't2', tool: 'mcp__toolyard__ping' } }),
      event({ type: 'tool_call_end', data: { toolCallId: 't2', input: {} } }),
      used,
      event({ type: 'tool_result', data: { toolCallId: 't2', isError: true, output: 'no' } }),
      text('Done.'),
      used,
      completed,
    ]);
  });

  it('is the same in whatever pieces it is read', async () => {
    const lines = [
      says('One?'),
      answers('One.'),
      says('Two?'),
      calls('t', 'Read', {}),
      returns('t', 'x'),
      answers('Two.'),
    ];
    const home = await temporaryDirectory();
    const whole = await readAll(writeTranscript(home, lines));
    const growing = writeTranscript(home, []);
    const facts: TranscriptFact[] = [];
    let cursor: unknown;
    for (const line of lines) {
      const half = toLine(line).length / 2;
      growing.append(toLine(line).slice(0, half));
      const first = await readAll(growing, { cursor });
      growing.append(toLine(line).slice(half));
      const second = await readAll(growing, { cursor: first.cursor });
      facts.push(...first.facts, ...second.facts);
      cursor = second.cursor;
    }
    expect(facts).toEqual(whole.facts);
    expect(await readAll(growing, { cursor })).toEqual({ facts: [], cursor, state: undefined, pieces: 0 });
  });

  it('leaves out what is not part of it', async () => {
    const file = writeTranscript(await temporaryDirectory(), [
      { type: 'summary', summary: 'Earlier work', leafUuid: 'x' },
      says('Carry on.'),
      says('the subagent is told', { isSidechain: true }),
      answers('the subagent says', { isSidechain: true }),
      says('caveat', { isMeta: true }),
      { type: 'something-new', message: 'from a later version' },
      { type: 'system', subtype: 'turn_duration', content: '3 s', timestamp: at },
      answers('Carried on.'),
    ]);
    expect((await readAll(file)).facts).toEqual([message('Carry on.'), text('Carried on.'), used, completed]);
  });

  it('knows commands, interruptions, failures and notices', async () => {
    const file = writeTranscript(await temporaryDirectory(), [
      says(
        '<command-message>x</command-message>\n<command-name>/review</command-name>\n<command-args>now</command-args>',
      ),
      says([{ type: 'text', text: '[Request interrupted by user]' }] as never),
      says('<bash-input>ls</bash-input>'),
      says('<bash-stdout>a file</bash-stdout>'),
      says('Again.'),
      answers('API Error: no', { isApiErrorMessage: true }),
      says('<task-notification>done</task-notification>', { origin: { kind: 'task-notification' } }),
      says('This is what was said.', { isCompactSummary: true }),
      {
        ...says(''),
        type: 'attachment',
        attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'And this.' },
      },
    ]);
    const raw = (message: unknown) => ({
      kind: 'event',
      at,
      event: { type: 'raw', data: { engine: 'claude', message } },
    });
    const error = { code: 'provider_failed', message: 'API Error: no' };
    expect((await readAll(file)).facts).toEqual([
      message('/review now'),
      { kind: 'end', at, outcome: 'interrupted' },
      message('! ls'),
      raw({ type: 'command_output', text: '<bash-stdout>a file</bash-stdout>' }),
      completed,
      message('Again.'),
      { kind: 'end', at, outcome: 'failed', error },
      raw({ type: 'task-notification', text: '<task-notification>done</task-notification>' }),
      raw({ type: 'summary', text: 'This is what was said.' }),
      { kind: 'message', at, content: 'And this.', isAdded: true },
    ]);
  });
});

/** Entries that each go on from the one before. */
function chain(first: Fields, ...rest: Fields[]): Fields[] {
  let parent = first;
  return [first, ...rest.map((entry) => (parent = { ...entry, parentUuid: parent.uuid }))];
}

/** Two turns as the CLI writes them when a terminal and we talk at the same time. */
function interleave(): Fields[] {
  const ours = chain(
    says('Ours.', { uuid: newPromptId(sessionId), promptId: 'p1' }),
    calls('o1', 'Bash', { command: 'sleep 9' }),
    { ...returns('o1', 'slept'), promptId: 'p1' },
    answers('To us.'),
    says('Ours again.', { uuid: newPromptId(sessionId), promptId: 'p3' }),
    answers('To us again.'),
  );
  // What the CLI puts in the place of an answer that it does not know.
  const filler = answers('No response requested.', { parentUuid: ours[0]?.uuid });
  const theirs = chain(
    says('Theirs.', { promptId: 'p2', parentUuid: filler.uuid }),
    calls('t1', 'Bash', { command: 'ls' }),
    { ...returns('t1', 'a file'), promptId: 'p2' },
    answers('To them.'),
  );
  const [prompt, call, result, answer, more, last] = ours;
  const [theirPrompt, theirCall, theirResult, theirAnswer] = theirs;
  const order = [prompt, filler, theirPrompt, call, theirCall, result, answer, theirResult];
  return [...order, more, theirAnswer, last].filter((entry) => entry !== undefined);
}

function called(toolCallId: string): TranscriptFact[] {
  const data = { toolCallId, isError: false, output: 'a file' };
  return [
    { kind: 'event', at, event: { type: 'tool_call_start', data: { toolCallId, tool: 'claude:Bash' } } },
    { kind: 'event', at, event: { type: 'tool_call_end', data: { toolCallId, input: { command: 'ls' } } } },
    used,
    { kind: 'event', at, event: { type: 'tool_result', data } },
  ];
}

const sessionId = 'ses_0000000000000000000001';

describe('what our own engine wrote', () => {
  it('is passed over, wherever the reading stops in it', async () => {
    const own = { uuid: newPromptId(sessionId), promptId: 'p1' };
    const file = writeTranscript(await temporaryDirectory(), [says('Ours.', own), answers('To us.')]);
    const first = await readAll(file, { sessionId });
    expect({ facts: first.facts, state: first.state }).toEqual({
      facts: [{ kind: 'end', at, outcome: 'interrupted' }],
      state: undefined,
    });
    const note = [{ type: 'text', text: '[Request interrupted by user]' }];
    file.append(
      answers('More to us.'),
      says(note as never, { promptId: 'p1' }),
      says('Theirs.'),
      answers('To them.'),
    );
    const second = await readAll(file, { sessionId, cursor: first.cursor });
    expect(second.facts).toEqual([message('Theirs.'), text('To them.'), used, completed]);
    file.append(says('Ours again.', { uuid: newPromptId(sessionId) }), answers('To us again.'));
    const third = await readAll(file, { sessionId, cursor: second.cursor });
    expect(third.facts).toEqual([{ kind: 'end', at, outcome: 'interrupted' }]);
  });

  it('is told apart from what a terminal writes at the same time, in whatever pieces it is read', async () => {
    const lines = interleave();
    const whole = await readAll(writeTranscript(await temporaryDirectory(), lines), { sessionId });
    expect(whole.facts).toEqual([
      { kind: 'end', at, outcome: 'interrupted' },
      message('Theirs.'),
      ...called('t1'),
      text('To them.'),
      used,
      completed,
    ]);
    for (const size of [1, 2, 3, 5]) {
      const growing = writeTranscript(await temporaryDirectory(), []);
      const facts: TranscriptFact[] = [];
      let cursor: unknown;
      for (let next = 0; next < lines.length; next += size) {
        growing.append(...lines.slice(next, next + size));
        const piece = await readAll(growing, { sessionId, cursor });
        facts.push(...piece.facts);
        // As it comes back from the store after a restart.
        cursor = JSON.parse(JSON.stringify(piece.cursor));
      }
      expect(facts).toEqual(whole.facts);
    }
  });

  it('is known by its branch however much a terminal writes before it goes on', async () => {
    const ours = says('Ours.', { uuid: newPromptId(sessionId), promptId: 'p1' });
    const long = chain(
      says('Theirs.', { promptId: 'p2' }),
      ...Array.from({ length: 2_000 }, (_, index) => answers(`${index}`)),
    );
    const file = writeTranscript(await temporaryDirectory(), [ours, ...long]);
    const first = await readAll(file, { sessionId });
    expect(first.facts.filter(({ kind }) => kind === 'message')).toEqual([message('Theirs.')]);
    expect(JSON.stringify(first.cursor).length).toBeLessThan(4_096);
    const late: Fields = { ...answers('To us.'), parentUuid: ours.uuid };
    file.append(late, { ...says('Ours again.'), uuid: newPromptId(sessionId), parentUuid: late.uuid });
    expect((await readAll(file, { sessionId, cursor: first.cursor })).facts).toEqual([]);
  });

  it('is known by its prompt, or by what stands before it, where its branch is not known', async () => {
    const ours = says('Ours.', { uuid: newPromptId(sessionId), promptId: 'p1' });
    const file = writeTranscript(await temporaryDirectory(), [
      ours,
      { ...answers('To us.'), parentUuid: randomUUID() },
      says('Theirs.', { promptId: 'p2' }),
      { ...returns('t1', 'ours'), parentUuid: randomUUID(), promptId: 'p1' },
      says('Theirs again.', { promptId: 'p3' }),
      { ...answers('To them.'), parentUuid: randomUUID() },
    ]);
    const { facts } = await readAll(file, { sessionId });
    expect(facts.slice(1)).toEqual([
      message('Theirs.'),
      message('Theirs again.'),
      text('To them.'),
      used,
      completed,
    ]);
  });

  it('is still ours after the CLI has summed it up', async () => {
    const ours = says('Ours.', { uuid: newPromptId(sessionId), promptId: 'p1' });
    const theirs = chain(says('Theirs.', { promptId: 'p2' }), answers('To them.'));
    const boundary: Fields = {
      ...says(''),
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Compacted',
      message: undefined,
      logicalParentUuid: ours.uuid,
    };
    const summary = says('This is what was said.', { isCompactSummary: true, parentUuid: boundary.uuid });
    const file = writeTranscript(await temporaryDirectory(), [ours, ...theirs, boundary, summary]);
    expect((await readAll(file, { sessionId })).facts.slice(1)).toEqual([
      message('Theirs.'),
      text('To them.'),
      used,
      completed,
    ]);
  });

  it('is news to the session of another home', async () => {
    const file = writeTranscript(await temporaryDirectory(), [
      says('Hello.', { uuid: newPromptId('ses_other') }),
    ]);
    expect((await readAll(file)).facts).toEqual([message('Hello.')]);
  });
});

describe('damage', () => {
  it('in the middle is told with its place, and what is around it is read', async () => {
    const [first, last] = [toLine(says('Before.')), toLine(answers('After.'))];
    const file = writeTranscript(await temporaryDirectory(), [
      first,
      '{"type":"user","mess\n',
      'garbage\n',
      Buffer.alloc(5),
      last,
    ]);
    const torn = first.length;
    expect((await readAll(file)).facts).toEqual([
      message('Before.'),
      damage(torn, 28, 'a line is torn, or no entry'),
      damage(torn + 29, 5, 'they are zero'),
      text('After.'),
      used,
      completed,
    ]);
  });

  it('of a torn line does not swallow the prompt that was glued to it', async () => {
    const sessionId = 'ses_0000000000000000000001';
    const own = toLine(says('Ours.', { uuid: newPromptId(sessionId) }));
    const file = writeTranscript(await temporaryDirectory(), [
      own,
      '{"parentUuid":null,"ty',
      says('Theirs.'),
    ]);
    const { facts } = await readAll(file, { sessionId });
    expect(facts.slice(1).map((fact) => ('content' in fact ? fact.content : fact.kind))).toEqual([
      'damage',
      'Theirs.',
    ]);
  });

  it('at the end counts as a line being written, and as torn once nobody writes any more', async () => {
    const file = writeTranscript(await temporaryDirectory(), [says('Before.')]);
    const half = '{"type":"user","mess';
    const { length } = readFileSync(file.path);
    file.append(half);
    const first = await readAll(file);
    expect(first.facts).toEqual([message('Before.')]);
    file.settle();
    const second = await readAll(file, { cursor: first.cursor });
    expect(second.facts).toEqual([damage(length, half.length, 'the last line is torn')]);
    file.append('age":{"content":"it ');
    file.settle();
    const third = await readAll(file, { cursor: second.cursor });
    file.append(`went on"},"timestamp":"${at}"}\n`);
    const fourth = await readAll(file, { cursor: third.cursor });
    expect([...third.facts, ...fourth.facts]).toEqual([message('it went on')]);
  });

  it('of a file that lost its end to zeros is told once', async () => {
    const file = writeTranscript(await temporaryDirectory(), [says('Before.'), Buffer.alloc(70_000)]);
    const offset = readFileSync(file.path).indexOf(0);
    const first = await readAll(file);
    expect(first.facts).toEqual([message('Before.'), damage(offset, 70_000, 'they are zero')]);
    file.append('\n', answers('After.'));
    const second = await readAll(file, { cursor: first.cursor });
    expect(second.facts.at(-1)).toEqual(completed);
  });

  it('by a rewrite is searched for what is known, so that nothing comes twice', async () => {
    const [one, two] = [says('One.'), answers('One!')];
    const file = writeTranscript(await temporaryDirectory(), [{ type: 'mode' }, one, two]);
    const { cursor } = await readAll(file);
    // The CLI may take lines out of its file.
    writeFileSync(file.path, [one, two, says('Two.')].map(toLine).join(''));
    expect((await readAll(file, { cursor })).facts).toEqual([message('Two.')]);
    const other = [says('Another.'), answers('story')].map(toLine).join('');
    writeFileSync(file.path, other);
    file.settle();
    const rewritten = await readAll(file, { cursor });
    const why = 'the file was rewritten since it was last read, and what is new in it cannot be told';
    expect(rewritten.facts).toEqual([damage(0, other.length, why)]);
    file.append(says('After that.'));
    expect((await readAll(file, { cursor: rewritten.cursor })).facts).toEqual([message('After that.')]);
  });

  it('by entries of any shape is no crash, and nothing is polluted', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const file = writeTranscript(await temporaryDirectory(), [
      '{"type":"assistant","__proto__":{"polluted":1},"message":{"content":[{"type":"__proto__","__proto__":{"polluted":1}}]}}\n',
      `{"type":"assistant","timestamp":"${at}","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"X","input":${deep}}]}}\n`,
      '{"type":"user","timestamp":"yesterday","message":{"content":7}}\n',
      '{"type":"user","message":null}\n[]\nnull\n"text"\n{"type":3}\n',
      says('', {
        message: { role: 'user', content: [{ type: 'text', text: '' }, { type: 'text' }, {}, null] },
      }),
      says('half \ud83d'),
      calls('u', 'x'.repeat(300_000), 'y'.repeat(300_000)),
      returns('u', 'z'.repeat(300_000)),
    ]);
    const { facts } = await readAll(file);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(JSON.stringify(facts).length).toBeLessThan(1_000_000);
    expect(facts.map((fact) => (fact.kind === 'event' ? fact.event.type : fact.kind))).toEqual([
      ...['raw', 'tool_call_start', 'tool_call_end', 'damage', 'message'],
      ...['tool_call_start', 'tool_call_end', 'usage', 'tool_result'],
    ]);
    const result = facts.at(-1);
    expect(
      result?.kind === 'event' && result.event.type === 'tool_result' && result.event.data.truncated,
    ).toBe(true);
  });
});
