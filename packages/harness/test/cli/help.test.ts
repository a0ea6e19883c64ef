// Help, versions, mistakes: what needs no server, through the real command.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli/commands.ts';
import { createHome, type TestHome } from './toolyard-process.ts';

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
  it.each([[], ...listPaths(commands)].map((path) => ({ path })))(
    'is there for "$path"',
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
  it.each([
    [['sesions'], 'error: Unknown command "sesions". Did you mean "sessions"?\n'],
    [['sessions', 'lst'], 'error: Unknown command "sessions lst". Did you mean "list"?\n'],
    [['serve', '--prot', '1'], 'error: Unknown option "--prot". Did you mean "--port"?\n'],
    [['--rehears'], 'error: Unknown option "--rehears". Did you mean "--rehearse"?\n'],
    [['xyzzy'], 'error: Unknown command "xyzzy". See: npm start -- --help\n'],
    [
      ['sessions', 'show'],
      'error: "sessions show" needs the id of a session. See: npm start -- sessions show --help\n',
    ],
    [['serve', '--port', '99999'], 'error: --port is "99999". Use a whole number from 0 to 65535.\n'],
    [
      ['serve', '--idle-exit', 'soon'],
      'error: --idle-exit is "soon". Use a whole number from 1 to 2592000.\n',
    ],
    [['config', 'get', 'server.prot'], 'error: Unknown key "server.prot". Did you mean "server.port"?\n'],
    [
      ['run', '--session', 'x', '--role', 'y', 'z'],
      'error: --role is for a new session; --session continues one as it is.\n',
    ],
    [['run', '--mode', 'wild', 'z'], /^error: --mode: .*acceptEdits.*\n$/],
    [['run'], 'error: There is no prompt. Write one: npm start -- run "ping the server"\n'],
  ])('in %j is one line on stderr and exit 2', async (args, sentence) => {
    const { code, stdout, stderr } = await yard.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
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
      await broken.run(['config', 'path']);
      await writeConfig(broken, 'server:\n  prot: 4242\n');
      for (const args of [['serve'], ['config', 'get'], ['sessions', 'list'], ['run', 'hi']]) {
        const { code, stdout, stderr } = await broken.run(args);
        expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
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
      stderr: 'error: TOOLYARD_WORKSPACE names "/no/such/place", which is not a directory.\n',
    });
  });
});

async function writeConfig({ home }: TestHome, text: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'config.yaml'), text);
}
