// Sessions made with the engine's own program, through the whole yard: listed, read, continued, and continued elsewhere.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, pause, type Session } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/app/doctor.ts';
import type { Yard } from '../../../src/app.ts';
import {
  answers,
  at,
  calls,
  createOutsideEngine,
  createWritingEngine,
  returns,
  says,
  writeTranscript,
} from '../../support/transcripts.ts';
import { converse, logOf, memoryDirectory, openTestYard } from '../../support/yard.ts';

async function openOutside(home: string) {
  return openTestYard({ engine: createOutsideEngine(home) });
}

async function list(yard: Yard): Promise<Session[]> {
  return (await yard.client().sessions.list()).items;
}

/** What people see of a log. */
function wordsOf(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'user_message') return [`> ${String(event.data.content)}`];
    if (event.type === 'text_delta') return [event.data.text];
    if (event.type === 'turn_end') return [`(${event.data.outcome})`];
    return event.type === 'error' ? [`! ${event.data.message}`] : [];
  });
}

async function only(yard: Yard): Promise<Session> {
  const [session, ...others] = await list(yard);
  expect(others).toEqual([]);
  if (!session) throw new Error('there is no session');
  return session;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await condition()); waited += 20) {
    if (waited > 8_000) throw new Error('it did not happen within eight seconds');
    await pause(20);
  }
}

describe('a session made outside', () => {
  it('is listed beside ours, by when it began, as any session is', async () => {
    const home = await memoryDirectory();
    writeTranscript(home, [says('Hello.'), answers('Hi.')]);
    const yard = await openOutside(home);
    const ours = await yard.client().sessions.create({ title: 'Ours' });
    const [first, second] = await list(yard);
    expect(first).toEqual(ours);
    expect(second).toEqual({
      id: second?.id,
      title: 'Hello.',
      role: 'assistant',
      engine: 'claude',
      model: 'anthropic/claude-sonnet-5',
      mode: 'default',
      cwd: '/the/project',
      workspace: '/the/project',
      status: 'idle',
      lastSeq: 0,
      rootSessionId: second?.id,
      costUsd: null,
      origin: 'outside',
      createdAt: at,
      updatedAt: at,
    });
  });

  it('is read when it is opened, as a log of ours with the times it happened', async () => {
    const home = await memoryDirectory();
    const lines = [
      says('Look.'),
      calls('t', 'Bash', { command: 'ls' }),
      returns('t', 'a file'),
      answers('Seen.'),
    ];
    writeTranscript(home, lines);
    const yard = await openOutside(home);
    const { id } = await only(yard);
    const events = await logOf(yard, id);
    expect(events.map(({ seq, type, at }) => [seq, type, at])).toEqual(
      [
        ...['user_message', 'turn_start', 'tool_call_start', 'tool_call_end', 'usage', 'tool_result'],
        ...['text_delta', 'usage', 'turn_end'],
      ].map((type, index) => [index + 1, type, at]),
    );
    expect(await logOf(yard, id)).toEqual(events);
    expect(await yard.client().sessions.get(id)).toMatchObject({ lastSeq: 9, status: 'idle', costUsd: null });
  });

  it('goes on from where it was when a message is sent, with what was said until then before it', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')], { cwd: home });
    const { engine, started } = createWritingEngine(home);
    const yard = await openTestYard({ engine });
    const { id } = await only(yard);
    file.append(says('Still there?'), answers('Yes.'));
    await converse(yard, id, 'And now here.');
    expect(started.map(({ resume }) => resume?.token)).toEqual([file.token]);
    const words = ['> Hello.', 'Hi.', '(completed)', '> Still there?', 'Yes.', '(completed)'];
    const ours = ['> And now here.', 'You said: And now here.', '(completed)'];
    expect(wordsOf(await logOf(yard, id))).toEqual([...words, ...ours]);
    await only(yard);
  });

  it('that stopped in the middle of a turn shows it, and ends it when somebody goes on', async () => {
    const home = await memoryDirectory();
    writeTranscript(home, [says('Work.'), calls('t', 'Bash', {})], { cwd: home });
    const yard = await openTestYard({ engine: createWritingEngine(home).engine });
    const { id } = await only(yard);
    expect(wordsOf(await logOf(yard, id))).toEqual(['> Work.']);
    await converse(yard, id, 'Forget it.');
    expect(wordsOf(await logOf(yard, id)).slice(0, 3)).toEqual(['> Work.', '(interrupted)', '> Forget it.']);
  });

  it('is the same one after a restart, and what was read is not read again', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')]);
    const first = await openOutside(home);
    const session = await only(first);
    await logOf(first, session.id);
    await first.close();
    file.append(says('Again.'), answers('Yes?'));
    const second = await openTestYard({ home: first.home, engine: createOutsideEngine(home) });
    expect((await only(second)).id).toBe(session.id);
    const words = ['> Hello.', 'Hi.', '(completed)', '> Again.', 'Yes?', '(completed)'];
    expect(wordsOf(await logOf(second, session.id))).toEqual(words);
  });

  it('shows in the next list under its new name, unless a person has named it here', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.')]);
    const yard = await openOutside(home);
    const { id } = await only(yard);
    file.append({ type: 'custom-title', customTitle: 'Renamed there' });
    expect(await only(yard)).toMatchObject({ id, title: 'Renamed there' });
    await yard.client().sessions.change(id, { title: 'Renamed here' });
    file.append({ type: 'custom-title', customTitle: 'Renamed there again' });
    expect(await only(yard)).toMatchObject({ id, title: 'Renamed here' });
  });

  it('shows as it goes on there to whoever reads it here', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')]);
    const yard = await openOutside(home);
    const { id } = await only(yard);
    const before = wordsOf(await logOf(yard, id));
    const reading = (async () => {
      const seen: Event[] = [];
      for await (const event of yard.client().sessions.events(id)) {
        seen.push(event);
        if (wordsOf([event])[0] === 'Live.') return wordsOf(seen);
      }
      return [];
    })();
    file.append(says('More.'), answers('Live.'));
    expect(await reading).toEqual([...before, '> More.', 'Live.']);
  });

  it('that is gone before anybody read it is not listed; one that was read stays', async () => {
    const home = await memoryDirectory();
    const unread = writeTranscript(home, [says('Unread.')]);
    const wasRead = writeTranscript(home, [says('Read.')]);
    const yard = await openOutside(home);
    const session = (await list(yard)).find(({ title }) => title === 'Read.');
    const before = await logOf(yard, session?.id ?? '');
    rmSync(unread.path);
    rmSync(wasRead.path);
    await until(async () => (await list(yard)).length === 1);
    expect(await logOf(yard, session?.id ?? '')).toEqual(before);
    const { warnings } = await yard.client().sessions.get(session?.id ?? '');
    expect(warnings).toMatchObject([expect.stringContaining('Its transcript cannot be read: ENOENT')]);
  });

  it('is one of a thousand, all of which are listed, each once, while lists go on answering', async () => {
    const home = await memoryDirectory();
    const words = Array.from({ length: 1_000 }, (_, index) => `Number ${index}.`);
    for (const [index, title] of words.entries())
      writeTranscript(home, [says(title)], { cwd: `/p${index % 20}` });
    const yard = await openOutside(home);
    const titles: string[] = [];
    await until(async () => {
      titles.length = 0;
      for (let after: string | undefined; ; ) {
        const startedAt = performance.now();
        const { items, next } = await yard.client().sessions.list({ limit: 300, ...(after && { after }) });
        expect(performance.now() - startedAt).toBeLessThan(2_000);
        titles.push(...items.map(({ title }) => title));
        after = next;
        if (!after) return titles.length === words.length;
      }
    });
    expect(titles.sort()).toEqual(words.sort());
  });

  it('that is made while we look is found', async () => {
    const home = await memoryDirectory();
    const yard = await openOutside(home);
    expect(await list(yard)).toEqual([]);
    writeTranscript(home, [says('New home.')], { cwd: '/a' });
    await until(async () => (await list(yard)).length === 1);
    writeTranscript(home, [says('New folder.')], { cwd: '/b' });
    await until(async () => (await list(yard)).length === 2);
  });
});

describe('a session of ours', () => {
  it('is not listed twice, and what its engine wrote is not read again', async () => {
    const home = await memoryDirectory();
    const { engine, started } = createWritingEngine(home);
    const yard = await openTestYard({ home, engine });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'One.');
    await converse(yard, id, 'Two.');
    // Whoever drives it has nothing to catch up with.
    expect(started).toHaveLength(1);
    const words = ['> One.', 'You said: One.', '(completed)', '> Two.', 'You said: Two.', '(completed)'];
    expect(wordsOf(await logOf(yard, id))).toEqual(words);
    expect((await only(yard)).id).toBe(id);
    await yard.close();
    const again = await openTestYard({ home, engine: createWritingEngine(home).engine });
    expect((await only(again)).id).toBe(id);
    expect(wordsOf(await logOf(again, id))).toEqual(words);
  });

  it('that was continued elsewhere gets what was said there, and its engine starts anew', async () => {
    const home = await memoryDirectory();
    const { engine, started, files } = createWritingEngine(home);
    const yard = await openTestYard({ home, engine });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'One.');
    const [file] = files;
    file?.append(says('Elsewhere.'), answers('There.'));
    await converse(yard, id, 'Two.');
    const words = ['> One.', 'You said: One.', '(completed)', '> Elsewhere.', 'There.', '(completed)'];
    expect(wordsOf(await logOf(yard, id))).toEqual([...words, '> Two.', 'You said: Two.', '(completed)']);
    expect(started.map(({ resume }) => resume?.token)).toEqual([undefined, file?.token]);
    file?.append(says('Elsewhere again.'), answers('There again.'));
    expect(wordsOf(await logOf(yard, id)).slice(-3)).toEqual([
      '> Elsewhere again.',
      'There again.',
      '(completed)',
    ]);
    expect((await only(yard)).id).toBe(id);
  });

  it('is not listed twice while its token is not stored yet either', async () => {
    const home = await memoryDirectory();
    const seen: Session[] = [];
    const beforeToken = async () => {
      // Whoever has found this one has come across that of our own session, too.
      writeTranscript(home, [says('Later.')], { cwd: home });
      await until(async () => (await list(yard)).some(({ title }) => title === 'Later.'));
      seen.push(...(await list(yard)));
    };
    writeTranscript(home, [says('Elsewhere.')], { cwd: home });
    const yard = await openTestYard({ home, engine: createWritingEngine(home, { beforeToken }).engine });
    await only(yard);
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'One.');
    const origins = [undefined, 'outside', 'outside'];
    expect(seen.map(({ origin }) => origin)).toEqual(origins);
    expect((await list(yard)).map(({ origin }) => origin)).toEqual(origins);
  });

  it('takes the place of one that was found before we knew whose it was', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')], { cwd: home });
    const yard = await openTestYard({
      home,
      engine: createWritingEngine(home, { firstToken: file.token }).engine,
    });
    const outside = await only(yard);
    await logOf(yard, outside.id);
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'Mine.');
    file.append(says('More.'));
    await until(async () => (await list(yard)).length === 1);
    expect((await only(yard)).id).toBe(id);
  });
});

describe('counting', () => {
  async function count(yard: Yard, cwd: string) {
    const body = { input: {}, cwd, mode: 'bypassPermissions' as const };
    const { output, text, isError } = await yard
      .client()
      .tools.call('mcp__toolyard__get_session_count', body);
    return isError ? text : output;
  }

  it('takes the transcripts of the directory in, at once and each once', async () => {
    const home = await memoryDirectory();
    const cwd = join(home, 'project');
    mkdirSync(cwd);
    symlinkSync(cwd, join(home, 'link'));
    const yard = await openTestYard({ engine: createOutsideEngine(home) });
    for (const words of ['One.', 'Two.']) writeTranscript(home, [says(words, { cwd })], { cwd });
    writeTranscript(home, [says('Elsewhere.')]);
    // The call itself is a session in that directory.
    expect(await count(yard, cwd)).toEqual({ count: 3, cwd });
    expect(await count(yard, cwd)).toEqual({ count: 4, cwd });
    expect(await count(yard, join(home, 'link'))).toEqual({ count: 5, cwd });
  });

  it('is zero more without transcripts, and an error with the code where they cannot be read', async () => {
    const home = await memoryDirectory();
    const yard = await openTestYard({ engine: createOutsideEngine(home) });
    expect(await count(yard, home)).toEqual({ count: 1, cwd: home });
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude', 'projects'), 'no folder');
    expect(await count(yard, home)).toMatch(/^Sessions could not be counted: ENOTDIR, /);
    expect(await list(yard)).toHaveLength(2);
  });
});

describe('doctor', () => {
  const findingOf = async (env: NodeJS.ProcessEnv) => {
    const findings = await diagnose(await memoryDirectory(), { PATH: process.env.PATH, ...env });
    return findings.find(({ name }) => name === 'transcripts');
  };

  it('says where transcripts are looked for, how many there are, and what keeps them from being found', async () => {
    const home = await memoryDirectory();
    const projects = join(home, '.claude', 'projects');
    writeTranscript(home, [says('Hello.')]);
    const found = { name: 'transcripts', state: 'ok', message: `1 of Claude Code in ${projects}` };
    expect(await findingOf({ HOME: home })).toEqual(found);
    symlinkSync('round', join(projects, 'round'));
    expect(await findingOf({ HOME: home })).toMatchObject({
      state: 'warn',
      message: `${join(projects, 'round')} cannot be read (ELOOP): its sessions are not listed`,
    });
    expect(await findingOf({})).toMatchObject({ state: 'warn', fix: expect.stringContaining('Set HOME') });
  });
});
