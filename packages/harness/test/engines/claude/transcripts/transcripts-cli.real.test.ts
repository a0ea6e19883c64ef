// Transcripts made by the real CLI, against the rehearsal, as a person would make them in a terminal: listed, read and
// continued by a whole yard with the real engine, and continued by the CLI again.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { type Event, pause, type Session } from '@toolyard/sdk';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openYard, type Yard } from '../../../../src/app.ts';
import { Scenario } from '../../../../src/rehearsal/scenarios/scenario.ts';
import { type Rehearsal, serveRehearsal } from '../../../../src/rehearsal/serve.ts';
import { openModelTap } from '../../../acceptance/model-tap.ts';
import { converse, logOf, quiet, temporaryDirectory } from '../../../support/yard.ts';

const scenario = Scenario.parse({
  rules: [
    { when: { results: {} }, reply: [{ text: 'Done: {{result}}' }] },
    {
      when: { user: 'look around' },
      reply: [
        { thinking: 'Where am I?' },
        { text: 'I look. ' },
        { call: { tool: 'Bash', input: { command: 'echo here', description: 'Look' } } },
      ],
    },
    {
      when: { user: 'send somebody' },
      reply: [
        {
          call: {
            tool: 'Agent',
            input: { description: 'go', prompt: 'hello there', subagent_type: 'general-purpose' },
          },
        },
      ],
    },
    { when: {}, reply: [{ text: 'Hello.' }] },
  ],
});

interface Terminal {
  env: Record<string, string>;
  cwd: string;
  /** Says one thing to `claude` and waits for its answer; gives the session's own id. */
  say(words: string, resume?: string): Promise<string>;
  files(): string[];
  /** All that is in the file of a session. */
  transcript(id: string): string;
}

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveRehearsal({ scenarios: [scenario] });
  return () => rehearsal.close();
});

async function openTerminal(modelUrl = rehearsal.url): Promise<Terminal> {
  const root = await temporaryDirectory();
  const [home, cwd] = [join(root, 'home'), join(root, 'my project')];
  for (const folder of [home, cwd]) mkdirSync(folder);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const projects = join(home, '.claude', 'projects');
  const files = () =>
    readdirSync(projects, { recursive: true })
      .map(String)
      .filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name));
  return {
    env,
    cwd,
    async say(prompt, resume) {
      let id = '';
      const options = {
        cwd,
        env,
        settingSources: [],
        allowedTools: ['Bash', 'Agent'],
        ...(resume && { resume }),
      };
      for await (const message of query({ prompt, options })) id = message.session_id ?? id;
      return id;
    },
    files,
    transcript: (id) =>
      files()
        .filter((name) => name.includes(id))
        .map((name) => readFileSync(join(projects, name), 'utf8'))
        .join(''),
  };
}

async function open({ env, cwd }: Terminal, home?: string): Promise<Yard> {
  const own = home ?? (await temporaryDirectory());
  // A spare process only takes time from tests that do not need it.
  writeFileSync(join(own, 'config.yaml'), 'claude: { spare: false }\n');
  const yard = await openYard({ home: own, env, workspace: cwd, logger: quiet });
  onTestFinished(() => yard.close());
  return yard;
}

async function list(yard: Yard): Promise<Session[]> {
  return (await yard.client().sessions.list()).items;
}

function wordsOf(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'user_message') return [`> ${String(event.data.content)}`];
    if (event.type === 'text_delta') return [event.data.text];
    if (event.type === 'tool_result') return [`= ${String(event.data.output)}`];
    return event.type === 'turn_end' ? [`(${event.data.outcome})`] : [];
  });
}

/** What the CLI reckons for a million tokens. */
const priced = { model: 'claude-sonnet-5', input: 2, output: 10 };

/** Of each turn: what it was charged with, and what it used by the tokens in the log. */
function costsOf(events: readonly Event[]): { words: string; costUsd: number | null; used: number }[] {
  const turns: { words: string; costUsd: number | null; used: number }[] = [];
  for (const { type, data } of events) {
    if (type === 'user_message') turns.push({ words: String(data.content), costUsd: null, used: 0 });
    const turn = turns.at(-1);
    if (!turn) continue;
    if (type === 'turn_end') turn.costUsd = data.costUsd;
    if (type === 'usage') {
      turn.used += (data.inputTokens * priced.input + data.outputTokens * priced.output) / 1_000_000;
    }
  }
  return turns;
}

const greeting = (words: string) => [`> ${words}`, 'Hello.', '(completed)'];

describe('sessions made by the real CLI', () => {
  it('are listed and read, one that was continued twice and one with a subagent among them; they go on here, there, and here again: each turn once, in order, in one transcript', async () => {
    const terminal = await openTerminal();
    const first = await terminal.say('hi');
    await terminal.say('look around', first);
    await terminal.say('bye', first);
    const second = await terminal.say('send somebody');
    const names = () => new Set(terminal.files().map((name) => name.split('/')[1]));
    expect(names()).toEqual(new Set([`${first}.jsonl`, `${second}.jsonl`]));
    const yard = await open(terminal);
    const sessions = await list(yard);
    expect(sessions).toMatchObject([
      { title: 'send somebody', engine: 'claude', origin: 'outside', cwd: terminal.cwd, mode: 'default' },
      { title: 'hi', engine: 'claude', origin: 'outside', cwd: terminal.cwd, mode: 'default' },
    ]);
    const id = sessions[1]?.id ?? '';
    const events = await logOf(yard, id);
    const looking = ['> look around', 'I look. ', '= here', 'Done: here', '(completed)'];
    const spoken = [...greeting('hi'), ...looking, ...greeting('bye')];
    expect(wordsOf(events)).toEqual(spoken);
    expect(events.find(({ type }) => type === 'thinking_delta')?.data).toEqual({ text: 'Where am I?' });
    expect(events.find(({ type }) => type === 'tool_call_start')?.data).toMatchObject({
      tool: 'claude:Bash',
    });
    const delegated = wordsOf(await logOf(yard, sessions[0]?.id ?? ''));
    expect([delegated[0], delegated.at(-1)]).toEqual(['> send somebody', '(completed)']);
    expect(delegated.join()).not.toContain('hello there');

    await converse(yard, id, 'here');
    await terminal.say('there again', first);
    await converse(yard, id, 'here again');
    await converse(yard, id, 'here still');
    await terminal.say('there at last', first);
    const words = ['here', 'there again', 'here again', 'here still', 'there at last'].flatMap(greeting);
    expect(wordsOf(await logOf(yard, id))).toEqual([...spoken, ...words]);
    expect([terminal.files().length, names().size]).toEqual([2, 2]);
    expect(await list(yard)).toHaveLength(2);
  }, 60_000);

  it('charge each turn here with what it used itself, whatever was spent before or elsewhere', async () => {
    const terminal = await openTerminal();
    const home = await temporaryDirectory();
    const yard = await open(terminal, home);
    const { id } = await yard
      .client()
      .sessions.create({ engine: 'claude', model: `anthropic/${priced.model}` });
    for (const words of ['one', 'two', 'three']) await converse(yard, id, words);
    const token = terminal.files()[0]?.split('/')[1]?.replace('.jsonl', '') ?? '';
    // Our process is still there, and notes its own total after theirs.
    await terminal.say('look around', token);
    await converse(yard, id, 'four');
    await yard.close();
    const again = await open(terminal, home);
    await converse(again, id, 'five');
    await again.close();
    await terminal.say('look around', token);
    await terminal.say('look around', token);
    const last = await open(terminal, home);
    await converse(last, id, 'six');
    const turns = costsOf(await logOf(last, id));
    const outside = { words: 'look around', costUsd: null };
    const exact = turns.map(({ words, used }) =>
      words === 'look around' ? outside : { words, costUsd: expect.closeTo(used, 9) },
    );
    expect(turns.map(({ words, costUsd }) => ({ words, costUsd }))).toEqual(exact);
    const order = ['one', 'two', 'three', 'look around', 'four', 'five', 'look around', 'look around', 'six'];
    expect(turns.map(({ words }) => words)).toEqual(order);
    expect(Math.min(...turns.map(({ used }) => used))).toBeGreaterThan(0.001);
  }, 60_000);

  it('and sessions of ours are told apart, also right after each begins; who talks at the same time as we do is heard, and each turn comes once', async () => {
    const held = Promise.withResolvers<void>();
    const tap = await openModelTap(rehearsal.url, async ({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes('take your time') && !said.includes('meanwhile')) await held.promise;
    });
    onTestFinished(() => tap.close());
    const terminal = await openTerminal(tap.url);
    const yard = await open(terminal);
    const seen = new Set<number>();
    const { id } = await yard.client().sessions.create({ engine: 'claude' });
    const talk = converse(yard, id, 'ours');
    const over = talk.then(() => true);
    while (!(await Promise.race([over, pause(5).then(() => false)]))) seen.add((await list(yard)).length);
    expect([...seen]).toEqual([1]);
    expect(await list(yard)).toMatchObject([{ id, title: 'ours' }]);
    expect(wordsOf(await logOf(yard, id))).toEqual(greeting('ours'));

    const token = terminal.files()[0]?.split('/')[1]?.replace('.jsonl', '') ?? '';
    let isOver = false;
    const slow = converse(yard, id, 'take your time').then(() => {
      isOver = true;
    });
    while (!terminal.transcript(token).includes('"take your time"')) await pause(20);
    await terminal.say('meanwhile', token);
    expect(isOver).toBe(false);
    held.resolve();
    await slow;
    const spoken = [...greeting('ours'), ...greeting('take your time'), ...greeting('meanwhile')];
    expect(wordsOf(await logOf(yard, id))).toEqual(spoken);
    await converse(yard, id, 'and then');
    expect(wordsOf(await logOf(yard, id))).toEqual([...spoken, ...greeting('and then')]);

    await terminal.say('theirs', token);
    expect(wordsOf(await logOf(yard, id))).toEqual([...spoken, ...['and then', 'theirs'].flatMap(greeting)]);
    expect(await list(yard)).toHaveLength(1);
  }, 60_000);
});
