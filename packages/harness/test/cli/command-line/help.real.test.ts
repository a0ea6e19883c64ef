// Help, versions, mistakes: what needs no server, through the real command.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, parseCommandLine } from '../../../src/cli/command-line/arguments.ts';
import { toHelp } from '../../../src/cli/command-line/help.ts';
import { commands } from '../../../src/cli/commands.ts';
import { createHome, type TestHome } from '../toolyard-process.ts';

let yard: TestHome;
beforeAll(async () => {
  yard = await createHome();
});
afterAll(() => yard.end());

function listPaths(table: readonly Command[], path: string[] = []): string[][] {
  return table.flatMap((command) => {
    const here = [...path, command.name];
    return [here, ...listPaths(command.subcommands ?? [], here)];
  });
}

describe('help', () => {
  it.each([[], ...listPaths(commands)].map((path) => ({ path })))('is there for "$path"', ({ path }) => {
    const parsed = parseCommandLine(commands, [...path, '--help']);
    if (parsed.kind !== 'help') return expect.unreachable('this asks for help');
    const text = toHelp(commands, parsed.path);
    expect(text).toContain(`Usage: npm start -- ${path.join(' ')}`);
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it.concurrent.each([{ path: [] }, { path: ['run'] }, { path: ['approvals', 'allow'] }])(
    'is printed by the command for "$path"',
    async ({ path }) => {
      const { code, stdout, stderr } = await yard.run([...path, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: npm start -- ${path.join(' ')}`);
    },
  );

  it('names every command and nothing that does not exist', async () => {
    const { stdout } = await yard.run(['help']);
    const shown = [...(stdout.split('Options')[0] ?? '').matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
    expect(shown).toEqual([...commands.map(({ name }) => name), 'help']);
  });

  it('makes nothing in the home', async () => {
    expect(await yard.server()).toBeUndefined();
  });
});

describe('a mistake', () => {
  it.concurrent.each([
    [['sesions'], 'error: Unknown command "sesions". Did you mean "sessions"?\n'],
    [['serve', '--port', '99999'], 'error: --port is "99999". Use a whole number from 0 to 65535.\n'],
    [['config', 'get', 'server.prot'], 'error: Unknown key "server.prot". Did you mean "server.port"?\n'],
    [['run', '--mode', 'wild', 'z'], expect.stringMatching(/^error: --mode: .*acceptEdits.*\n$/)],
    [['run'], 'error: There is no prompt. Write one: npm start -- run "ping the server"\n'],
  ])('in %j is one line on stderr and exit 2', async (args, sentence) => {
    expect(await yard.run(args)).toEqual({ code: 2, stdout: '', stderr: sentence });
  });

  it('is {error} for a program', async () => {
    const { code, stderr } = await yard.run(['sessions', 'lst', '--json']);
    expect({ code, error: JSON.parse(stderr) }).toEqual({
      code: 2,
      error: {
        error: {
          code: 'usage',
          message: 'Unknown command "sessions lst". Did you mean "list"?',
          data: { suggestion: 'list' },
        },
      },
    });
  });

  it('in the configuration names file, line and what was meant, and no stack, for every command that reads it', async () => {
    const broken = await createHome();
    try {
      await mkdir(broken.home);
      await writeFile(join(broken.home, 'config.yaml'), 'server:\n  prot: 4242\n');
      const lines = [['serve'], ['config', 'get'], ['sessions', 'list'], ['run', 'hi']];
      for (const { code, stdout, stderr } of await Promise.all(lines.map((args) => broken.run(args)))) {
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toMatch(/config\.yaml:2.*"prot".*Did you mean "port"\?/s);
        expect(stderr).not.toMatch(/\n\s+at /);
      }
    } finally {
      await broken.end();
    }
  });
});

describe('the environment', () => {
  it('is refused in a sentence when it makes no sense', async () => {
    const wrongPort = await yard.run(['serve'], { env: { TOOLYARD_PORT: 'high' } });
    expect(wrongPort).toMatchObject({ code: 2, stderr: expect.stringContaining('TOOLYARD_PORT is "high"') });
    const wrongPlace = await yard.run(['run', 'hi'], { env: { TOOLYARD_WORKSPACE: '/no/such/place' } });
    expect(wrongPlace).toMatchObject({
      code: 2,
      stderr:
        'error: TOOLYARD_WORKSPACE names "/no/such/place", which is not a directory. Name one that exists.\n',
    });
  });
});
