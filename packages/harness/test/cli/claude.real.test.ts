// The claude engine from the command line: images and files, a trace, what its agent is given, what is wrong with it. The real
// CLI answers, asked by the rehearsal.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdf, pixel, png } from '../support/images.ts';
import { runIn } from './in-process.ts';
import { createHome, type TestHome } from './toolyard-process.ts';

const timeout = 60_000;
/** A home with a server, which all commands are clients of: one of their own takes each a while to start. */
let yard: TestHome;
beforeAll(async () => {
  yard = await createHome();
  await mkdir(yard.home, { mode: 0o700 });
  await writeFile(join(yard.home, 'config.yaml'), 'claude: { spare: false }\n');
  await writeFile(join(yard.work, 'pixel.png'), Buffer.from(pixel.data, 'base64'));
  await yard.start(['serve']).until(/listens at/);
});
afterAll(() => yard.end());

const command = (args: readonly string[]) => runIn(yard, args);

async function readTrace(sessionId: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(yard.home, 'traces', `${sessionId}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The trace is written beside the turn, which does not wait for it. */
async function untilTraced(sessionId: string, home = yard.home): Promise<void> {
  const path = join(home, 'traces', `${sessionId}.jsonl`);
  await expect.poll(async () => readFile(path, 'utf8'), { timeout: 5_000 }).toContain('"type":"result"');
}

function sessionIn(stderr: string): string {
  return /session: (ses_\w+)/.exec(stderr)?.[1] ?? '';
}

describe('run --image', () => {
  it.each(['native', 'claude'])(
    'sends it through the %s engine, and the transcript says so',
    { timeout },
    async (engine) => {
      const { code, stdout, stderr } = await command([
        'run',
        '--engine',
        engine,
        '--image',
        'pixel.png',
        'what is it?',
      ]);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining('You sent [image, 1 kB png]. It arrived whole'),
      });
      const shown = await command(['sessions', 'show', sessionIn(stderr)]);
      expect(shown.stdout).toContain('> [image, 1 kB png]\n> what is it?\n');
      expect(shown.stdout).toMatch(/^title +\[image\] what is it\?$/m);
    },
  );

  it('sends several, in order', async () => {
    await writeFile(join(yard.work, 'second.png'), Buffer.from(png(20_000).data, 'base64'));
    const { stdout } = await command(['run', '--image', 'pixel.png', '--image=second.png', 'compare']);
    expect(stdout).toContain('You sent [image, 1 kB png] [image, 20 kB png].');
  });
});

describe('run --file', () => {
  it.each(['native', 'claude'])('sends text and a PDF through the %s engine', { timeout }, async (engine) => {
    await writeFile(join(yard.work, 'notes.md'), 'ping the server\n');
    await writeFile(join(yard.work, 'report.pdf'), Buffer.from(pdf().data, 'base64'));
    const files = ['--file', 'notes.md', '--file', 'report.pdf'];
    const { code, stdout, stderr } = await command(['run', '--engine', engine, ...files, 'what is new?']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('You sent [file notes.md, 1 kB] [file report.pdf, 2 kB pdf].'),
    });
    const shown = await command(['sessions', 'show', sessionIn(stderr)]);
    expect(shown.stdout).toContain(
      '> [file notes.md, 1 kB]\n> [file report.pdf, 2 kB pdf]\n> what is new?\n',
    );
    expect(shown.stdout).toMatch(/^title +\[file notes\.md\] \[file report\.pdf\] what is new\?$/m);
  });

  it('takes an image for what it is', async () => {
    const { stdout } = await command(['run', '--file', 'pixel.png', 'what is it?']);
    expect(stdout).toContain('You sent [image, 1 kB png].');
  });
});

describe('run --trace', () => {
  it('writes what the CLI was told and said, and prints where', { timeout }, async () => {
    const secret = 'hunter2-hunter2';
    const { code, stderr } = await command(['run', '--engine', 'claude', '--trace', `hello ${secret}`]);
    expect(code).toBe(0);
    const id = sessionIn(stderr);
    const path = join(yard.home, 'traces', `${id}.jsonl`);
    expect(stderr).toContain(`trace:   ${path}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await untilTraced(id);
    const lines = await readTrace(id);
    expect(lines[0]).toEqual({ at: expect.any(String), note: `trace of ${id}` });
    expect(lines[1]).toMatchObject({ direction: 'in', message: { request: { subtype: 'initialize' } } });
    expect(lines.slice(1).every(({ direction, message }) => direction && message)).toBe(true);
  });

  it('begins with the next turn of a session that goes on', { timeout }, async () => {
    const first = await command(['run', '--engine', 'claude', 'hello']);
    const id = sessionIn(first.stderr);
    await expect(readTrace(id)).rejects.toThrow('ENOENT');
    const second = await command(['run', '--session', id, '--trace', 'hello again']);
    expect(second.code).toBe(0);
    await untilTraced(id);
    const lines = await readTrace(id);
    expect(lines[1]).toMatchObject({ direction: 'in', message: { request: { subtype: 'initialize' } } });
    expect(JSON.stringify(lines)).toContain('hello again');
  });

  it('says that another engine has no wire', async () => {
    expect(await command(['run', '--engine', 'native', '--trace', 'hello'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: The engine native cannot be traced. Only an engine that runs its own program can: use the engine claude.\n',
    });
  });

  it('is what serve --trace does for every session, secrets of the environment left out', {
    timeout,
  }, async () => {
    const env = { MY_SERVICE_TOKEN: 'hunter2-hunter2' };
    const traced = await createHome(env);
    try {
      const server = traced.start(['serve', '--trace']);
      await server.until(/traces +\S+/);
      const { stderr } = await runIn(traced, ['run', '--engine', 'claude', `hello ${env.MY_SERVICE_TOKEN}`]);
      await untilTraced(sessionIn(stderr), traced.home);
      const text = await readFile(join(traced.home, 'traces', `${sessionIn(stderr)}.jsonl`), 'utf8');
      expect(text).toContain('hello [redacted]');
      expect(text).not.toContain(env.MY_SERVICE_TOKEN);
      expect(text).not.toContain((await readFile(join(traced.home, 'token'), 'utf8')).trim());
    } finally {
      await traced.end();
    }
  });
});

describe('sessions show --context and sessions change', () => {
  it('show what the agent is given and how full its window is; a mode changes what is shown', {
    timeout,
  }, async () => {
    const { stderr } = await command(['run', '--engine', 'claude', 'hello']);
    const id = sessionIn(stderr);
    const { code, stdout } = await command(['sessions', 'show', id, '--context']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tools +mcp__toolyard__ping\n/m);
    expect(stdout).toMatch(/^of claude +claude:Read\n/m);
    expect(stdout).toMatch(/^window +[\d,]+ of [\d,]+ tokens \(\d+ %\)\n +System prompt +[\d,]+\n/m);
    expect(stdout).toMatch(/^instructions\nYou are /m);

    const changed = await command([
      'sessions',
      'change',
      id,
      '--mode',
      'plan',
      '--model',
      'anthropic/x',
      '--title',
      'Mine',
    ]);
    expect(changed).toEqual({ code: 0, stdout: `${id} · plan · anthropic/x · Mine\n`, stderr: '' });
    const json = await command(['sessions', 'show', id, '--context', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      session: { id, mode: 'plan', title: 'Mine' },
      context: { engine: 'claude', model: 'anthropic/x', mode: 'plan', role: 'assistant' },
    });
  });

  it('of a session on the native engine say how full its window is, if the model has a known one', async () => {
    const show = async (model: string) => {
      const { stderr } = await command(['run', '--engine', 'native', '--model', model, 'hello']);
      return (await command(['sessions', 'show', sessionIn(stderr), '--context'])).stdout;
    };
    expect(await show('anthropic/claude-sonnet-5')).toMatch(/^window +[\d,]+ of 1,000,000 tokens \(0 %\)$/m);
    const unknown = await show('anthropic/claude-nobody-knows');
    expect(unknown).toMatch(/^window +unknown so far, or unknown for this model$/m);
    expect(unknown).not.toMatch(/^of native/m);
  });
});

interface Finding {
  name: string;
}

async function findingsOf(home: TestHome, env: Record<string, string> = {}): Promise<Finding[]> {
  const { stdout } = await runIn(home, ['doctor', '--json'], env);
  return JSON.parse(stdout).items;
}

async function findingOf(home: TestHome, name: string, env: Record<string, string> = {}): Promise<unknown> {
  return (await findingsOf(home, env)).find((finding) => finding.name === name);
}

describe('doctor', () => {
  // Where no server runs, it looks by itself.
  let idle: TestHome;
  beforeAll(async () => {
    idle = await createHome();
  });
  afterAll(() => idle.end());

  it('finds the SDK, asks the CLI for its version, and says how to get a login or a key when there is neither', async () => {
    const findings = await findingsOf(idle);
    expect(findings.find(({ name }) => name === 'claude')).toEqual({
      name: 'claude',
      state: 'ok',
      message: expect.stringMatching(/^Claude Code \d+\.\d+\.\d+ \(\S+claude\), SDK \d+\.\d+\.\d+$/),
    });
    expect(findings.find(({ name }) => name === 'model')).toEqual({
      name: 'model',
      state: 'warn',
      message: 'no login and no key found: the scripted rehearsal model answers',
      fix: 'Run `claude` and log in with /login, or set ANTHROPIC_API_KEY; then start again.',
    });
  });

  it.each([
    [
      { CLAUDE_CODE_OAUTH_TOKEN: 'a-login' },
      'Anthropic, with your Claude Code login, for the claude engine only',
    ],
    [{ ANTHROPIC_API_KEY: 'a-key' }, 'Anthropic, with the key in the environment'],
  ])('names what it found: %j', async (env, message) => {
    expect(await findingOf(idle, 'model', env)).toEqual({ name: 'model', state: 'ok', message });
  });
});

describe('a claude.executable that is wrong', () => {
  it.each([
    ['/nowhere/claude', 'there is no /nowhere/claude'],
    ['/etc/passwd', '/etc/passwd is not executable'],
  ])(
    '%s is named by the turn and by doctor, and the session lives on',
    { timeout },
    async (executable, why) => {
      const wrong = await createHome();
      try {
        await mkdir(wrong.home, { mode: 0o700 });
        await writeFile(join(wrong.home, 'config.yaml'), `claude: { executable: ${executable} }\n`);
        const { code, stderr } = await runIn(wrong, ['run', '--engine', 'claude', 'hello']);
        expect(code).toBe(1);
        expect(stderr).toContain(
          `✗ Claude could not be started (${why}). Install it with \`npm install @anthropic-ai/claude-agent-sdk\`, or set claude.executable to its path. (process_failed)`,
        );
        expect(await findingOf(wrong, 'claude')).toEqual({
          name: 'claude',
          state: 'fail',
          message: `Claude Code cannot be started: ${executable} could not be started: ${why}.`,
          fix: 'Fix or remove claude.executable in config.yaml.',
        });
      } finally {
        await wrong.end();
      }
    },
  );

  it('a program that is not Claude Code is told from one', { timeout }, async () => {
    const wrong = await createHome();
    try {
      await mkdir(wrong.home, { mode: 0o700 });
      await writeFile(join(wrong.home, 'config.yaml'), 'claude: { executable: /bin/echo }\n');
      expect(await findingOf(wrong, 'claude')).toMatchObject({
        state: 'fail',
        message: expect.stringContaining('it does not report its version: '),
      });
    } finally {
      await wrong.end();
    }
  });
});

describe('without the SDK', () => {
  // As on a machine where nobody installed it: Node cannot find it.
  const env = {
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('./without-claude-sdk.mjs', import.meta.url))}`,
  };

  it('the claude engine says the one line that installs it; everything else works', { timeout }, async () => {
    const bare = await createHome(env);
    try {
      const { code, stderr } = await bare.run(['run', '--engine', 'claude', 'hello']);
      expect(code).toBe(1);
      expect(stderr).toContain(
        '✗ The claude engine needs the Claude Agent SDK. Install it with: npm install @anthropic-ai/claude-agent-sdk (unknown_engine)\n',
      );
      expect(await bare.run(['run', 'hello'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Hello!/),
      });
      const { stdout } = await bare.run(['doctor', '--json']);
      const found = JSON.parse(stdout).items.find(({ name }: Finding) => name === 'claude');
      expect(found).toEqual({
        name: 'claude',
        state: 'warn',
        message: 'the Claude Agent SDK is not installed: sessions run on the native engine',
        fix: 'npm install @anthropic-ai/claude-agent-sdk',
      });
    } finally {
      await bare.end();
    }
  });
});
