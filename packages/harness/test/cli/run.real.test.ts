// `run` and `sessions retry` through real processes, against the scripted model.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Event, parseEvent, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, endProcess, isAlive, type Running, type TestHome } from './toolyard-process.ts';

const scenario = fileURLToPath(new URL('./scenario.yaml', import.meta.url));
let model: { home: TestHome; env: Record<string, string> };
let yard: TestHome;

beforeAll(async () => {
  const home = await createHome();
  const [, url = ''] = await home
    .start(['rehearse', '--scenario', scenario])
    .until(/^ANTHROPIC_BASE_URL=(.*)$/m);
  model = { home, env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'any' } };
  yard = await createHome(model.env);
  await mkdir(yard.home);
  await writeFile(
    join(yard.home, 'config.yaml'),
    'limits: { maxSteps: 3 }\ntoolApproval: { perTool: { mcp__toolyard__ping: auto } }\n',
  );
  await yard.start(['serve']).until(/listens at/);
});
afterAll(async () => {
  await yard.end();
  await model.home.end();
});

function toEvents(stdout: string): Event[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));
}

function textOf(events: readonly Event[]): string {
  return events.map((event) => (event.type === 'text_delta' ? event.data.text : '')).join('');
}

describe('run', () => {
  it('prints the answer on stdout and calls, results and the outcome on stderr', async () => {
    const { code, stdout, stderr } = await yard.run(['run', 'ping']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me see.\nIt answers.\n' });
    expect(stderr.replace(/\d/g, '0').replace(/ses_\w+/g, 'ses_0')).toMatch(
      /^● mcp__toolyard__ping \{\}\n {2}✓ \{"status":"pong","timestamp":"[^"]+","server":"toolyard"\} 0+ ms\ncompleted · .*\nsession: ses_0\ngo on: {3}npm start -- run --session ses_0 "…"\n$/,
    );
  });

  it('prints every event of the log, in order and once, for programs', async () => {
    const { code, stdout } = await yard.run(['run', '--json', 'ping']);
    const events = toEvents(stdout);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'user_message', data: { content: 'ping' } });
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'completed' } });
  });

  it('takes the prompt from its words, from stdin, or from stdin when told so by -', async () => {
    const results = await Promise.all([
      yard.run(['run', 'hello', 'there']),
      yard.run(['run'], { input: 'hello\nthere' }),
      yard.run(['run', '-'], { input: 'hello there' }),
    ]);
    expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 0, stdout: 'First hello there, now hello there.\n' },
      { code: 0, stdout: 'First hello\nthere, now hello\nthere.\n' },
      { code: 0, stdout: 'First hello there, now hello there.\n' },
    ]);
  });

  it('continues a session', async () => {
    const first = await yard.run(['run', 'one']);
    const id = /ses_\w+/.exec(first.stderr)?.[0] ?? '';
    expect(await yard.run(['run', '--session', id, 'two'])).toMatchObject({
      code: 0,
      stdout: 'First one, now two.\n',
    });
  });

  it('answers 1 for a failed turn and says how to retry it, 3 for a limit', async () => {
    const [failed, limited] = await Promise.all([
      yard.run(['run', 'refuse']),
      yard.run(['run', '--json', 'ping for ever']),
    ]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /^✗ .*\(provider_auth\)\nfailed · .*\n.*\nretry: {3}npm start -- sessions retry ses_/,
    );
    expect(limited.code).toBe(3);
    expect(toEvents(limited.stdout).at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'limit' } });
  });

  it('opens the session where it was called, or where TOOLYARD_WORKSPACE says', async () => {
    const elsewhere = join(yard.work, 'elsewhere');
    await mkdir(elsewhere);
    await yard.run(['run', 'a'], { env: { INIT_CWD: elsewhere } });
    await yard.run(['run', 'b'], { cwd: elsewhere, env: { TOOLYARD_WORKSPACE: yard.work } });
    const { items } = await (await yard.client()).sessions.list({ limit: 2 });
    expect(items.map(({ title, cwd }) => ({ title, cwd }))).toEqual([
      { title: 'b', cwd: yard.work },
      { title: 'a', cwd: elsewhere },
    ]);
  });

  it('refuses what the server does not know, in a sentence', async () => {
    const unknown = 'ses_0000000000000000000000';
    const [role, session, json] = await Promise.all([
      yard.run(['run', '--role', 'nobody', 'hi']),
      yard.run(['run', '--session', unknown, 'hi']),
      yard.run(['run', '--json', '--session', unknown, 'hi']),
    ]);
    expect(role).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*nobody.*\n$/),
    });
    expect(session).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: .*\n$/) });
    expect(json).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'session_not_found' } });
  });

  it('leaves quietly when its reader does', async () => {
    const running = yard.start(['run', 'endless story']);
    await running.until(/once once/);
    running.child.stdout?.destroy();
    const { code, stderr } = await running.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('Ctrl-C', () => {
  async function press(running: Running): Promise<void> {
    running.child.kill('SIGINT');
    await running.until(/Interrupting the turn/);
  }

  it('pressed once interrupts the turn and waits for its end', async () => {
    const running = yard.start(['run', '--json', 'endless story']);
    await running.until(/"once /);
    await press(running);
    const { code, stdout } = await running.finished;
    expect(code).toBe(130);
    expect(toEvents(stdout).at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'interrupted' } });
  });

  it('pressed twice leaves the turn to itself', async () => {
    const running = yard.start(['run', 'story']);
    await running.until(/once/);
    // A server that answers nothing while it is stopped cannot end the turn before the second press.
    const { pid } = (await yard.server()) ?? { pid: 0 };
    process.kill(pid, 'SIGSTOP');
    await press(running);
    await pause(250);
    running.child.kill('SIGINT');
    const { code } = await running.finished;
    process.kill(pid, 'SIGCONT');
    expect(code).toBe(130);
  });
});

describe('Ctrl-C before the turn has begun', () => {
  it('waits for its own turn and leaves the one under way alone', async () => {
    const first = yard.start(['run', '--json', 'endless story']);
    const [, id = ''] = await first.until(/"sessionId":"(ses_\w+)".*"once /s);
    const second = yard.start(['run', '--json', '--session', id, 'endless story']);
    await second.until(/"user_message"/);
    second.child.kill('SIGINT');
    await second.until(/Interrupting the turn/);
    const client = await yard.client();
    expect(await client.sessions.get(id)).toMatchObject({ status: 'running' });
    first.child.kill('SIGINT');
    const ends = await Promise.all([first.finished, second.finished]);
    expect(ends.map(({ code }) => code)).toEqual([130, 130]);
    expect(ends.map(({ stdout }) => toEvents(stdout).at(-1)?.data)).toMatchObject([
      { outcome: 'interrupted' },
      { outcome: 'interrupted' },
    ]);
  });
});

describe('a server that is killed in the middle of a turn', () => {
  it('is started again by the command, which misses nothing, and the turn can be retried', async () => {
    const fragile = await createHome(model.env);
    try {
      const running = fragile.start(['run', '--json', 'story']);
      await running.until(/"once /);
      const first = await fragile.server();
      endProcess(first?.pid ?? 0);
      const { code, stdout, stderr } = await running.finished;
      const events = toEvents(stdout);
      expect(code).toBe(1);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.at(-1)).toMatchObject({
        type: 'turn_end',
        data: { outcome: 'failed', error: { code: 'restarted' } },
      });
      expect(stderr).toMatch(
        /The line to the server broke.*Started a server in the background.*sessions retry ses_/s,
      );
      const id = events[0]?.sessionId ?? '';
      const retried = await fragile.run(['sessions', 'retry', '--json', id]);
      expect(retried.code).toBe(0);
      const after = toEvents(retried.stdout);
      expect(after[0]?.seq).toBeGreaterThan(events.at(-1)?.seq ?? 0);
      expect(textOf(after)).toBe('once '.repeat(40));
      expect((await fragile.server())?.pid).not.toBe(first?.pid);
      expect(await fragile.run(['sessions', 'retry', id])).toMatchObject({ code: 1, stdout: '' });
    } finally {
      await fragile.end();
    }
  });

  it('is waited for when it only paused', async () => {
    const { pid } = (await yard.server()) ?? { pid: 0 };
    const running = yard.start(['run', 'story']);
    await running.until(/once/);
    process.kill(pid, 'SIGSTOP');
    await pause(500);
    process.kill(pid, 'SIGCONT');
    expect(await running.finished).toMatchObject({ code: 0, stdout: `${'once '.repeat(40)}\n` });
    expect(isAlive(pid)).toBe(true);
  });
});

describe('a server that is killed while a person is asked', () => {
  it('P5: asks on after the next start; the answer lets the call run once, and run prints the result', async () => {
    const fragile = await createHome(model.env);
    try {
      const running = fragile.start(['run', 'ping']);
      const [, id = ''] = await running.until(/approvals allow (apr_\w+)/);
      endProcess((await fragile.server())?.pid ?? 0);
      await running.until(/The server is back/);
      expect(running.stdout()).not.toContain('It answers');
      const allowed = await fragile.run(['approvals', 'allow', id]);
      expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('allowed (once)') });
      const { code, stdout, stderr } = await running.finished;
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me see.\nIt answers.\n' });
      expect(stderr).toMatch(
        /✓ mcp__toolyard__ping allowed \(once\).*✓ (mcp__toolyard__ping )?\{"status":"pong".*completed/s,
      );
      const rows = (await fragile.run(['audit', 'export'])).stdout.trimEnd().split('\n');
      expect(
        rows.map((row) => JSON.parse(row)).map(({ kind, outcome, decision }) => [kind, outcome ?? decision]),
      ).toEqual([
        ['decision', 'allow'],
        ['result', 'done'],
      ]);
    } finally {
      await fragile.end();
    }
  });
});
