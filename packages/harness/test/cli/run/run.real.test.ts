// `run` and `sessions retry` where a process matters: signals, pipes, a server that is killed.
import { fileURLToPath } from 'node:url';
import { type Event, parseEvent, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { runIn } from '../in-process.ts';
import { createHome, endProcess, isAlive, type Running, type TestHome } from '../toolyard-process.ts';

const scenarioPath = fileURLToPath(new URL('../scenario.yaml', import.meta.url));
let model: { rehearsal: Rehearsal; env: Record<string, string> };
let yard: TestHome;

beforeAll(async () => {
  const rehearsal = await serveRehearsal({ scenarioPath });
  model = { rehearsal, env: { ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'any' } };
  yard = await createHome(model.env);
  await yard.start(['serve']).until(/listens at/);
});
afterAll(async () => {
  await yard.end();
  await model.rehearsal.close();
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
  it('takes the prompt from stdin, or from stdin when told so by -, and works where it was called', async () => {
    const results = await Promise.all([
      yard.run(['run'], { input: 'hello\nthere' }),
      yard.run(['run', '-'], { input: 'hello there' }),
    ]);
    expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 0, stdout: 'First hello\nthere, now hello\nthere.\n' },
      { code: 0, stdout: 'First hello there, now hello there.\n' },
    ]);
    const { items } = await (await yard.client()).sessions.list({ limit: 2 });
    expect(items.map(({ cwd }) => cwd)).toEqual([yard.work, yard.work]);
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
    // Two signals within 200 ms count as one press.
    await pause(220);
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

describe('a server that pauses in the middle of a turn', () => {
  it('is waited for', async () => {
    const { pid } = (await yard.server()) ?? { pid: 0 };
    const running = yard.start(['run', 'story']);
    await running.until(/once/);
    process.kill(pid, 'SIGSTOP');
    // The pause is the subject. No event can come meanwhile.
    await pause(300);
    process.kill(pid, 'SIGCONT');
    expect(await running.finished).toMatchObject({ code: 0, stdout: `${'once '.repeat(40)}\n` });
    expect(isAlive(pid)).toBe(true);
  });
});

describe('a server that is killed in the middle of a turn', () => {
  it.concurrent('is started again by the command, which misses nothing, and the turn can be retried', async () => {
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
        /Lost the connection to the server.*Started a server in the background.*sessions retry ses_/s,
      );
      const id = events[0]?.sessionId ?? '';
      const retried = await runIn(fragile, ['sessions', 'retry', '--json', id]);
      expect(retried.code).toBe(0);
      const after = toEvents(retried.stdout);
      expect(after[0]?.seq).toBeGreaterThan(events.at(-1)?.seq ?? 0);
      expect(textOf(after)).toBe('once '.repeat(40));
      expect((await fragile.server())?.pid).not.toBe(first?.pid);
      expect(await runIn(fragile, ['sessions', 'retry', id])).toMatchObject({ code: 1, stdout: '' });
    } finally {
      await fragile.end();
    }
  });

  it.concurrent('P5: asks on after the next start; the answer lets the call run once, and run prints the result', async () => {
    const fragile = await createHome(model.env);
    try {
      const running = fragile.start(['run', 'ping']);
      const [, id = ''] = await running.until(/approvals allow (apr_\w+)/);
      endProcess((await fragile.server())?.pid ?? 0);
      await running.until(/Reconnected/);
      expect(running.stdout()).not.toContain('It answers');
      const allowed = await runIn(fragile, ['approvals', 'allow', id]);
      expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('allowed (once)') });
      const { code, stdout, stderr } = await running.finished;
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me see.\nIt answers.\n' });
      expect(stderr).toMatch(
        /✓ mcp__toolyard__ping allowed \(once\).*✓ (mcp__toolyard__ping )?\{"status":"pong".*completed/s,
      );
      const { items } = await (await fragile.client()).audit.list();
      expect(items.map(({ kind, outcome, decision }) => [kind, outcome ?? decision])).toEqual([
        ['decision', 'allow'],
        ['result', 'done'],
      ]);
    } finally {
      await fragile.end();
    }
  });
});
