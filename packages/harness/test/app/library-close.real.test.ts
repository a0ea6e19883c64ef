// The end of a yard in a program: everything is given back, and who still waits hears of it.
import { execFile } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Event } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openYard } from '../../src/app.ts';
import { endOf } from '../acceptance/turn-outline.ts';
import { createHome } from '../cli/toolyard-process.ts';
import { converse, quiet, temporaryDirectory } from '../support/yard.ts';
import { openLibrary, scenario } from './library-yard.ts';
import { math } from './math-toolkit.ts';

const program = fileURLToPath(new URL('./library-program.ts', import.meta.url));

/** Whether a home still has an owner. */
function findHeld(home: string): object {
  const database = new DatabaseSync(join(home, 'toolyard.db'), { readOnly: true });
  onTestFinished(() => database.close());
  return { ...database.prepare('SELECT held FROM owner').get() };
}

describe('a yard that is closed', () => {
  it('ends a turn under way, whose reader hears how', async () => {
    const yard = await openLibrary();
    const events: Event[] = [];
    for await (const event of (await yard.sessions.create()).send('slowly')) {
      events.push(event);
      if (event.type === 'text_delta') void yard.close();
    }
    expect(endOf(events)).toMatchObject({ outcome: 'failed', error: { code: 'restarted' } });
  });

  it('lets readers of the log go without a complaint', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    const opened = Promise.withResolvers<void>();
    const readers = [
      Array.fromAsync(yard.events({ onOpen: () => opened.resolve() })),
      Array.fromAsync(session.events()),
    ];
    await session.send('hello').text();
    await opened.promise;
    await yard.close();
    const [all = [], own = []] = await Promise.all(readers);
    expect(own.length).toBeGreaterThan(3);
    expect(all.length).toBeLessThanOrEqual(own.length);
  });

  it('refuses every later call by name', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    await yard.close();
    const message = 'This yard is closed. Open another one with createToolyard.';
    const late = [yard.sessions.list(), session.send('late').text(), session.interrupt(), yard.listen()];
    for (const each of late) await expect(each).rejects.toMatchObject({ code: 'closed', message });
    await yard.close();
  });

  it('is closed whole after a scenario that broke meanwhile; once mended, the next turn is answered', async () => {
    const workspace = await temporaryDirectory();
    const path = join(workspace, 'scenario.yaml');
    const say = async () => {
      await writeFile(path, 'rules:\n  - repply: []\n');
      // Not by createToolyard, which would refuse it.
      const options = { home: join(workspace, 'home'), workspace, env: {}, logger: quiet, toolkits: [math] };
      const yard = await openYard({ ...options, rehearse: true, scenario: path });
      const { id } = await yard.client().sessions.create({ engine: 'native' });
      expect(endOf(await converse(yard, id, 'add 2 and 3'))).toMatchObject({
        outcome: 'failed',
        error: { message: expect.stringContaining('Did you mean "reply"') },
      });
      return { yard, id };
    };
    await (await say()).yard.close();
    const { yard, id } = await say();
    await writeFile(path, await readFile(scenario));
    expect(endOf(await converse(yard, id, 'add 2 and 3'))).toMatchObject({ outcome: 'completed' });
    await yard.close();
  });

  it('closes every part of it, also after one that cannot be closed', async () => {
    const home = await temporaryDirectory();
    const engine = { ...createScriptedEngine(), close: () => Promise.reject(new Error('stuck')) };
    const yard = await openYard({ home, env: {}, workspace: tmpdir(), logger: quiet, engine });
    await expect(yard.close()).rejects.toThrow('stuck');
    expect(findHeld(home)).toEqual({ held: 0 });
  });

  it('closes itself at the end of its block, also when that is an error', async () => {
    const home = await temporaryDirectory();
    const block = async () => {
      await using yard = await openLibrary({ home });
      await yard.sessions.create({ title: 'kept' });
      throw new Error('the program broke');
    };
    await expect(block()).rejects.toThrow('the program broke');
    await using again = await openLibrary({ home });
    expect((await again.sessions.list()).items.map(({ title }) => title)).toEqual(['kept']);
  });
});

describe('a home', () => {
  it('that this program has open is refused, by whatever name, and free once it is closed', async () => {
    const home = await temporaryDirectory();
    const yard = await openLibrary({ home });
    const other = `${home}-link`;
    await symlink(home, other);
    onTestFinished(() => rm(other));
    for (const name of [home, join(home, '.'), other]) {
      await expect(openLibrary({ home: name })).rejects.toMatchObject({
        code: 'home_in_use',
        message: expect.stringMatching(
          /^This program already has a yard open in .*\. Use that one, or close it/,
        ),
      });
    }
    expect(await yard.health()).toMatchObject({ ok: true });
    await yard.close();
    await openLibrary({ home });
  });

  it('is opened once of two times at once', async () => {
    const home = join(await temporaryDirectory(), 'new');
    const opened = await Promise.allSettled([openLibrary({ home }), openLibrary({ home })]);
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('that could not be opened is given back to everybody', async () => {
    const home = await temporaryDirectory();
    await expect(openLibrary({ home, toolkits: [math, math] })).rejects.toThrow('Two tools have the name');
    expect(findHeld(home)).toEqual({ held: 0 });
  });

  it('that another process has open is refused with its number', async () => {
    const other = await createHome();
    onTestFinished(() => other.end());
    const serving = other.start(['serve', '--port', '0', '--rehearse']);
    await serving.until(/http:\/\/127/);
    await expect(openLibrary({ home: other.home })).rejects.toMatchObject({
      code: 'home_in_use',
      message: expect.stringContaining(`process ${serving.child.pid} `),
    });
  });
});

describe('a program', () => {
  it.each(['native', 'claude'])(
    'ends by itself after its yard, with nothing left open: %s',
    { timeout: 60_000 },
    async (engine) => {
      const home = await createHome();
      onTestFinished(() => home.end());
      const args = ['--conditions=toolyard-source', program, engine, scenario];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
        cwd: home.work,
        env: home.env,
        timeout: 50_000,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({
        servers: 0,
        engine,
        answer: 'It is 5.',
        calls: ['mcp__math__add'],
        left: [],
      });
    },
  );
});
