// Commands that show something: sessions, tools, config, doctor; and a scenario that is refused.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/yard.ts';
import { type CommandYard, openCommandYard, startCommand } from './in-process.ts';

let commandYard: CommandYard;
let ids: string[];
beforeAll(async () => {
  commandYard = await openCommandYard({ engine: 'rehearsal' });
  for (const prompt of ['ping the server', 'ping and count'])
    await commandYard.run('run', '--mode', 'acceptEdits', prompt);
  const { items } = JSON.parse((await commandYard.run('sessions', 'list', '--json')).stdout);
  ids = items.map(({ id }: { id: string }) => id);
});
afterAll(() => commandYard.close());

describe('sessions list', () => {
  it('is a table, newest first', async () => {
    const { code, stdout } = await commandYard.run('sessions', 'list');
    expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        'ID                          STATUS  UPDATED   TITLE            DIRECTORY',
        `${ids[0]}  idle    just now  ping and count   ${commandYard.work}`,
        `${ids[1]}  idle    just now  ping the server  ${commandYard.work}`,
      ],
    });
  });

  it('is limited when asked, and says that there are more', async () => {
    const { stdout, stderr } = await commandYard.run('sessions', 'list', '--limit', '1');
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toBe('There are more: --limit 5\n');
    const page = JSON.parse((await commandYard.run('sessions', 'list', '--limit', '1', '--json')).stdout);
    expect(page).toMatchObject({ items: [{ id: ids[0] }], next: ids[0] });
  });
});

describe('sessions show', () => {
  it('shows the facts, then what was said and done', async () => {
    const { code, stdout } = await commandYard.run('sessions', 'show', ids[1] ?? '');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^session {3}ses_\w+\ntitle {5}ping the server\nstatus {4}idle\n.*\n> ping the server\n.*● mcp__toolyard__ping \{\}\n {2}✓ \{"status":"pong".*pong/s,
    );
  });

  it('gives programs the session and the view of it', async () => {
    const { stdout } = await commandYard.run('sessions', 'show', ids[1] ?? '', '--json');
    const { session, view } = JSON.parse(stdout);
    expect(session).toMatchObject({ id: ids[1], title: 'ping the server' });
    expect(view.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'user',
      'text',
      'tool',
      'text',
      'end',
    ]);
  });

  it.each(['ses_0000000000000000000000', 'nonsense', '../x'])('refuses %s in a sentence', async (id) => {
    const { code, stdout, stderr } = await commandYard.run('sessions', 'show', id);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*session.*\n$/);
  });
});

describe('tools list', () => {
  it('names each tool with what it may do', async () => {
    const { code, stdout } = await commandYard.run('tools', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^TOOL +EFFECT +ASKS +WHAT IT DOES\nmcp__toolyard__ping +read +session +\w/);
    const { items } = JSON.parse((await commandYard.run('tools', 'list', '--json')).stdout);
    expect(items.map(({ name }: { name: string }) => name)).toContain('mcp__toolyard__ping');
  });
});

describe('config', () => {
  it('knows its path, and that the file is not there', async () => {
    expect(await commandYard.run('config', 'path')).toEqual({
      code: 0,
      stdout: `${join(commandYard.home, 'config.yaml')}\n`,
      stderr: 'The file does not exist; all defaults apply.\n',
    });
  });

  it('gives all of it, a group or one value, for people and for programs', async () => {
    const get = async (...args: string[]) => (await commandYard.run('config', 'get', ...args)).stdout;
    expect(await Promise.all([get(), get('server'), get('server.host'), get('server', '--json')])).toEqual([
      expect.stringMatching(/^server:\n {2}host: 127\.0\.0\.1\n {2}port: 4242\ndefaults:\n/),
      'host: 127.0.0.1\nport: 4242\n',
      '127.0.0.1\n',
      '{"host":"127.0.0.1","port":4242}\n',
    ]);
  });
});

describe('doctor', () => {
  it('finds nothing broken in a home that works', async () => {
    const { code, stdout, stderr } = await commandYard.run('doctor');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/✓ server .*\n.*No check failed\.\n$/s);
  });

  it('answers 1 and says what to do when a check fails', async () => {
    const home = join(await temporaryDirectory(), 'home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'config.yaml'), 'server: [');
    const env = { TOOLYARD_HOME: home, INIT_CWD: home, NO_COLOR: '1' };
    const { code, stdout } = await startCommand(['doctor'], env).finished;
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ config .*config\.yaml.*\n +→ .*\n/);
    const json = await startCommand(['doctor', '--json'], env).finished;
    const { items } = JSON.parse(json.stdout);
    expect(items.find(({ name }: { name: string }) => name === 'config')).toMatchObject({ state: 'fail' });
  });
});

describe('rehearse', () => {
  it('refuses a scenario that is not there or not right', async () => {
    await writeFile(join(commandYard.work, 'wrong.yaml'), 'ruls: []\n');
    const listening = process.listenerCount('SIGINT');
    const missing = await commandYard.run('rehearse', '--scenario', 'missing.yaml');
    const wrong = await commandYard.run('rehearse', '--scenario', 'wrong.yaml');
    // One that has failed leaves no Ctrl-C to whatever comes after it.
    expect(process.listenerCount('SIGINT')).toBe(listening);
    expect(missing).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*missing\.yaml/),
    });
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/wrong\.yaml:1.*rules/),
    });
  });
});
