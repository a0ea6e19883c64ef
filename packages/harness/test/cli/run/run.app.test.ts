// `run`: what it prints and how it answers, against the scripted model.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Event, parseEvent } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandYard, openCommandYard } from '../in-process.ts';

const scenario = fileURLToPath(new URL('../scenario.yaml', import.meta.url));
const config = 'limits: { maxSteps: 3 }\ntoolApproval: { perTool: { mcp__toolyard__ping: auto } }\n';

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard({ config, engine: 'rehearsal', scenario });
});
afterAll(() => commandYard.close());

function toEvents(stdout: string): Event[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));
}

describe('run', () => {
  it('prints the answer on stdout and calls, results and the outcome on stderr', async () => {
    const { code, stdout, stderr } = await commandYard.run('run', 'ping');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me see.\nIt answers.\n' });
    expect(stderr.replace(/\d/g, '0').replace(/ses_\w+/g, 'ses_0')).toMatch(
      /^● mcp__toolyard__ping \{\}\n {2}✓ \{"status":"pong","timestamp":"[^"]+","server":"toolyard"\} 0+ ms\ncompleted · .*\nsession: ses_0\nnext: {4}npm start -- run --session ses_0 "…"\n$/,
    );
  });

  it('prints every event of the log, in order and once, for programs', async () => {
    const { code, stdout } = await commandYard.run('run', '--json', 'ping');
    const events = toEvents(stdout);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'user_message', data: { content: 'ping' } });
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'completed' } });
  });

  it('takes the prompt from its words', async () => {
    expect(await commandYard.run('run', 'hello', 'there')).toMatchObject({
      code: 0,
      stdout: 'First hello there, now hello there.\n',
    });
  });

  it('continues a session', async () => {
    const first = await commandYard.run('run', 'one');
    const id = /ses_\w+/.exec(first.stderr)?.[0] ?? '';
    expect(await commandYard.run('run', '--session', id, 'two')).toMatchObject({
      code: 0,
      stdout: 'First one, now two.\n',
    });
  });

  it('answers 1 for a failed turn and says how to retry it, 3 for a limit', async () => {
    const [failed, limited] = await Promise.all([
      commandYard.run('run', 'refuse'),
      commandYard.run('run', '--json', 'ping for ever'),
    ]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /^✗ .*\(provider_auth\)\nfailed · .*\n.*\nretry: {3}npm start -- sessions retry ses_/,
    );
    expect(limited.code).toBe(3);
    expect(toEvents(limited.stdout).at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'limit' } });
  });

  it('opens the session where it was called, or where TOOLYARD_WORKSPACE says', async () => {
    const { start, yard, work } = commandYard;
    const elsewhere = join(work, 'elsewhere');
    await mkdir(elsewhere);
    await start(['run', 'a'], { cwd: elsewhere }).finished;
    await start(['run', 'b'], { cwd: elsewhere, env: { TOOLYARD_WORKSPACE: work } }).finished;
    const { items } = await yard.client().sessions.list({ limit: 2 });
    expect(items.map(({ title, cwd }) => ({ title, cwd }))).toEqual([
      { title: 'b', cwd: work },
      { title: 'a', cwd: elsewhere },
    ]);
  });

  it('refuses what the server does not know, in a sentence', async () => {
    const unknown = 'ses_0000000000000000000000';
    const [role, session, json] = await Promise.all([
      commandYard.run('run', '--role', 'nobody', 'hi'),
      commandYard.run('run', '--session', unknown, 'hi'),
      commandYard.run('run', '--json', '--session', unknown, 'hi'),
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
});
