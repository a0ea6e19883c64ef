// Finding the transcripts of a home: what each is about, what is not listed, and what cannot be read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { newPromptId } from '../../../../src/engines/claude/lib/prompt-id.ts';
import {
  createClaudeTranscripts,
  probeTranscripts,
} from '../../../../src/engines/claude/transcripts/transcripts.ts';
import {
  answers,
  at,
  type Fields,
  listAll,
  says,
  toLine,
  writeTranscript,
} from '../../../support/transcripts.ts';
import { temporaryDirectory } from '../../../support/yard.ts';

async function listOf(home: string) {
  return listAll(createClaudeTranscripts({ HOME: home }));
}

/** The title under which a transcript with these lines is listed, or what else becomes of it. */
async function titleOf(...lines: (Fields | string | Uint8Array)[]): Promise<string | undefined> {
  const home = await temporaryDirectory();
  writeTranscript(home, lines);
  const [finding] = await listOf(home);
  return finding?.kind === 'found' ? finding.summary.title : finding?.kind;
}

describe('a transcript', () => {
  it('is listed with its first words, directory, model and times', async () => {
    const home = await temporaryDirectory();
    const { token, path } = writeTranscript(home, [
      { type: 'mode', mode: 'normal' },
      says('What is\n\tthis?'),
      answers('A test.'),
    ]);
    expect(await listOf(home)).toEqual([
      {
        kind: 'found',
        stamp: { token, path, size: expect.any(Number), modifiedAt: Date.parse(at) },
        summary: {
          title: 'What is this?',
          cwd: '/the/project',
          model: 'anthropic/claude-sonnet-5',
          createdAt: at,
          updatedAt: at,
        },
      },
    ]);
  });

  it('goes by what a person called it, then by what the CLI did', async () => {
    const long = 'w'.repeat(100);
    const filler = answers('x'.repeat(150_000));
    const named = { type: 'custom-title', customTitle: 'Named' };
    const summed = { type: 'ai-title', aiTitle: 'Summed up' };
    expect([
      await titleOf(says('First.'), summed, filler, named),
      await titleOf(named, says('First.'), filler, summed),
      await titleOf(says('First.'), filler, summed),
      await titleOf({ type: 'summary', summary: 'In short' }, says('First.')),
      await titleOf(says(long)),
      await titleOf(says('<command-name>/init</command-name>')),
    ]).toEqual(['Named', 'Named', 'Summed up', 'In short', `${'w'.repeat(79)}…`, '/init']);
  });

  it('in which nobody spoke, or only a subagent, is not listed', async () => {
    expect([
      await titleOf(),
      await titleOf({ type: 'summary', summary: 'x' }),
      await titleOf(says('caveat', { isMeta: true })),
      await titleOf(says('a task', { isSidechain: true }), answers('done', { isSidechain: true })),
    ]).toEqual(['silent', 'silent', 'silent', 'silent']);
  });

  it('that is damaged is listed, by what can be read of it', async () => {
    const huge = `${'x'.repeat(300_000)}\n`;
    expect([
      await titleOf(Buffer.alloc(100_000)),
      await titleOf('{"type":"user","mess'),
      await titleOf(huge),
      await titleOf(huge, says('After it.'), answers('Yes.')),
      await titleOf('torn\n', says('Readable.')),
    ]).toEqual([
      ...['Damaged transcript', 'Damaged transcript', 'Damaged transcript'],
      ...['After it.', 'Readable.'],
    ]);
  });

  it('that a Toolyard has just begun is marked as perhaps ours', async () => {
    const uuid = newPromptId('ses_0000000000000000000001');
    const marks = [];
    for (const timestamp of [new Date().toISOString(), at]) {
      const home = await temporaryDirectory();
      writeTranscript(home, [says('Hello.', { uuid, timestamp })]);
      const [finding] = await listOf(home);
      marks.push(finding?.kind === 'found' && finding.summary.isMaybeOurs);
    }
    expect(marks).toEqual([true, undefined]);
  });
});

describe('a home', () => {
  it('gives the transcript changed last first, and opens only what is not known', async () => {
    const home = await temporaryDirectory();
    const old = writeTranscript(home, [says('Old.')], { cwd: '/a' });
    const fresh = writeTranscript(home, [says('New.')], { cwd: '/b' });
    fresh.append(answers('Now.'));
    const transcripts = createClaudeTranscripts({ HOME: home });
    const { signal } = new AbortController();
    const isKnown = ({ token }: { token: string }) => token === old.token;
    const found = await Array.fromAsync(transcripts.list({ isKnown, signal }));
    expect(found.map((finding) => [finding.kind, 'stamp' in finding && finding.stamp.token])).toEqual([
      ['found', fresh.token],
      ['known', old.token],
    ]);
  });

  it('holds only transcripts of sessions: no subagents, no other files, nothing that never ends', async () => {
    const home = await temporaryDirectory();
    const { path, token } = writeTranscript(home, [says('Real.')]);
    const folder = join(path, '..');
    mkdirSync(join(folder, token, 'subagents'), { recursive: true });
    writeFileSync(join(folder, token, 'subagents', 'agent-1.jsonl'), toLine(says('A task.')));
    writeFileSync(join(folder, 'agent-1.jsonl'), toLine(says('A task.')));
    writeFileSync(join(folder, 'notes.md'), 'x');
    writeFileSync(join(home, '.claude', 'projects', 'file'), 'x');
    execFileSync('mkfifo', [join(folder, '8e1fda0a-21d9-44ce-bab9-a3efdb8d44f4.jsonl')]);
    mkdirSync(join(folder, '9e1fda0a-21d9-44ce-bab9-a3efdb8d44f4.jsonl'));
    expect((await listOf(home)).map((finding) => 'stamp' in finding && finding.stamp.token)).toEqual([token]);
  });

  it('without transcripts has none, wherever that may be', async () => {
    const home = await temporaryDirectory();
    expect(await listOf(home)).toEqual([]);
    expect(await listAll(createClaudeTranscripts({}))).toEqual([]);
    expect(createClaudeTranscripts({}).placeOf('/x')).toBeUndefined();
    expect(await probeTranscripts({}, new AbortController().signal)).toEqual({ count: 0, problems: [] });
  });

  it('says what cannot be read, and lists the rest', async () => {
    const home = await temporaryDirectory();
    const { token } = writeTranscript(home, [says('Real.')]);
    const projects = join(home, '.claude', 'projects');
    symlinkSync('round', join(projects, 'round'));
    const problem = {
      kind: 'problem',
      path: join(projects, 'round'),
      code: 'ELOOP',
      message: expect.any(String),
    };
    expect(await listOf(home)).toMatchObject([problem, { kind: 'found', stamp: { token } }]);
    const probe = await probeTranscripts({ HOME: home }, new AbortController().signal);
    expect(probe).toEqual({ path: projects, count: 1, problems: [problem] });
    rmSync(projects, { recursive: true });
    writeFileSync(projects, 'no folder');
    expect(await listOf(home)).toMatchObject([{ kind: 'problem', path: projects, code: 'ENOTDIR' }]);
  });

  it('is where CLAUDE_CONFIG_DIR says', async () => {
    const home = await temporaryDirectory();
    writeTranscript(home, [says('Real.')]);
    const env = { CLAUDE_CONFIG_DIR: join(home, '.claude'), HOME: '/nowhere' };
    expect(await listAll(createClaudeTranscripts(env))).toMatchObject([{ kind: 'found' }]);
  });

  it('can be looked at in the place of one directory, or of one session', async () => {
    const home = await temporaryDirectory();
    const long = `/${'d'.repeat(250)}`;
    writeTranscript(home, [says('Elsewhere.')], { cwd: '/else' });
    const one = writeTranscript(home, [says('Here.')], { cwd: '/the/project' });
    writeTranscript(home, [says('Deep.')], { cwd: `${long.slice(0, 200)}-1x2y3z` });
    const transcripts = createClaudeTranscripts({ HOME: home });
    const titles = async (place: string | undefined) =>
      (await listAll(transcripts, place ? [place] : [])).map((finding) =>
        finding.kind === 'found' ? finding.summary.title : finding.kind,
      );
    expect([
      await titles(transcripts.placeOf('/the/project')),
      await titles(transcripts.placeOf('/the.project', one.token)),
      await titles(transcripts.placeOf('/the/project', '8e1fda0a-21d9-44ce-bab9-a3efdb8d44f4')),
      await titles(transcripts.placeOf('/nobody/was/here')),
      await titles(transcripts.placeOf(long)),
    ]).toEqual([['Here.'], ['Here.'], ['gone'], [], ['Deep.']]);
  });

  it('tells of changes, new folders included, until nobody listens', async () => {
    const home = await temporaryDirectory();
    const file = writeTranscript(home, [says('Hello.')]);
    const transcripts = createClaudeTranscripts({ HOME: home });
    const changed = new Set<string>();
    const stop = new AbortController();
    expect(await transcripts.watch?.((place) => changed.add(place), stop.signal)).toBe(true);
    file.append(answers('Hi.'));
    const second = writeTranscript(home, [says('New.')], { cwd: '/new' });
    await until(() => changed.has(file.path) && changed.has(join(second.path, '..')));
    second.append(answers('Hi.'));
    await until(() => changed.has(second.path));
    stop.abort();
    changed.clear();
    file.append(answers('Nobody hears.'));
    await pause(100);
    expect([...changed]).toEqual([]);
  });

  it('that is not there yet cannot be watched', async () => {
    const transcripts = createClaudeTranscripts({ HOME: await temporaryDirectory() });
    expect(await transcripts.watch?.(() => {}, new AbortController().signal)).toBe(false);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 5_000) throw new Error('it did not happen within five seconds');
    await pause(10);
  }
}
