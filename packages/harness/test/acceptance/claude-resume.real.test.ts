// A conversation outlives its processes: the server stopped, the CLI evicted or killed, its transcript or directory gone.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreHome } from '../../src/app/backup.ts';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { cliProcesses } from './cli-processes.ts';
import { createDesk } from './desk-toolkit.ts';
import { isEndOf, until } from './person.ts';
import { callsOf, endOf, textOf, toOutline } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;

beforeAll(async () => {
  const config = 'claude: { spare: false, maxHot: 1 }\n';
  server = await openClaudeServer({ scenario: './claude-tools.yaml', toolkits: [desk.kit], config });
});
afterAll(() => server.close());

const lookedAt = (at: string) => [
  { tool: 'mcp__desk__look', input: { at }, isError: false, output: { seen: `the ${at}` } },
];
const offered = () => (server.tap.asked.at(-1)?.tools ?? []).map(({ name }) => name);

const ended = {
  outcome: 'failed',
  error: {
    code: 'process_failed',
    message: expect.stringMatching(
      /^Claude’s process ended before the turn did.* Retry the turn to continue /,
    ),
  },
};

/** Kills the real CLI while it waits for a tool. What it said is on its disk by then. */
async function killInHold(sessionId: string, key: string) {
  const { lastSeq: seq } = await server.client().sessions.get(sessionId);
  const turn = server.say(sessionId, `hold ${key}`);
  await desk.held(key);
  await until('the CLI wrote nothing down', async () =>
    (await readTranscripts()).includes(`"key":"${key}"`) ? true : undefined,
  );
  const pids = await cliProcesses(server.userHome);
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return { events: await turn, seq };
}

async function findTranscripts(): Promise<string[]> {
  const folder = join(server.userHome, '.claude', 'projects');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

async function readTranscripts(): Promise<string> {
  return (await Promise.all((await findTranscripts()).map((path) => readFile(path, 'utf8')))).join('');
}

/** Removes all that the CLI has written down. Returns how many there were. */
async function removeTranscripts(): Promise<number> {
  const paths = await findTranscripts();
  for (const path of paths) await rm(path);
  return paths.length;
}

describe('a conversation', () => {
  test('keeps its process from one message to the next; resumed, it keeps its tools and its past: when its process had to make room, was killed between two messages, or the server was started again, which still asks for what it asked before', async () => {
    const { id } = await server.create({ mode: 'acceptEdits' });
    expect(callsOf(await server.say(id, 'look at sun'))).toEqual(lookedAt('sun'));
    const before = await server.read(id, (event) => event.type === 'turn_end');
    const tools = offered();
    const first = await cliProcesses(server.userHome);
    expect(first.length).toBe(1);
    for (const at of ['moon', 'mars']) {
      await server.say(id, `look at ${at}`);
      expect(await cliProcesses(server.userHome)).toEqual(first);
    }
    const goesOn = async (at: string, spoken: number) => {
      expect(callsOf(await server.say(id, `look at ${at}`))).toEqual(lookedAt(at));
      expect(offered()).toEqual(tools);
      expect(textOf(await server.say(id, 'what did I say first'))).toBe(
        `First you said: look at sun. You have spoken ${spoken} times.`,
      );
    };

    const careful = await server.create();
    await server.say(careful.id, 'remember that I am careful');
    await until('it was never evicted', async () =>
      (await cliProcesses(server.userHome)).every((pid) => pid !== first[0]) ? true : undefined,
    );
    await goesOn('venus', 5);

    for (const pid of await cliProcesses(server.userHome)) process.kill(pid, 'SIGKILL');
    await goesOn('pluto', 7);

    await server.restart();
    expect(await cliProcesses(server.userHome)).toEqual([]);
    await goesOn('earth', 9);
    expect(await server.read(id, (event) => event.type === 'turn_end')).toEqual(before);
    const seen = ['sun', 'moon', 'mars', 'venus', 'pluto', 'earth'];
    expect(desk.ranIn(id)).toEqual(seen.map((at) => `look ${at}`));

    const turn = server.say(careful.id, 'pay ann');
    const asked = await server.asked(careful.id);
    expect(desk.ranIn(careful.id)).toEqual([]);
    await server.client().approvals.answer(asked.id, { decision: 'allow' });
    expect(callsOf(await turn)).toMatchObject([{ isError: false, output: { paid: 'ann' } }]);
    expect(desk.ranIn(careful.id)).toEqual(['pay ann']);
  }, 60_000);
});

describe('a CLI that is killed in the middle of a call', () => {
  test('ends its turn with a plain sentence; the next message, or a retry, goes on and the call is not made again', async () => {
    const { id } = await server.create({ mode: 'acceptEdits' });
    const { events } = await killInHold(id, 'killed');
    expect(endOf(events)).toEqual(ended);
    expect(toOutline(events).slice(-3)).toEqual(['tool_result failed', 'error', 'turn_end failed']);
    expect(callsOf(events)).toMatchObject([{ tool: 'mcp__desk__hold', isError: true }]);
    expect(await server.client().sessions.get(id)).toMatchObject({ status: 'idle' });
    expect(callsOf(await server.say(id, 'look at moon'))).toEqual(lookedAt('moon'));
    expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: hold killed.');
    expect(desk.ranIn(id)).toEqual(['hold killed', 'look moon']);

    const { seq } = await killInHold(id, 'retried');
    const { turnId } = await server.client().sessions.retry(id);
    const retried = await server.read(id, isEndOf(turnId), seq);
    expect(endOf(retried)).toEqual({ outcome: 'completed' });
    expect(textOf(retried)).toContain('Outcome unknown: the turn ended during the call.');
    expect(desk.ranIn(id)).toEqual(['hold killed', 'look moon', 'hold retried']);
  });

  test('while a person is asked, asks no longer, and the next message is answered', async () => {
    const { id } = await server.create();
    const turn = server.say(id, 'pay ann');
    const asked = await server.asked(id);
    for (const pid of await cliProcesses(server.userHome)) process.kill(pid, 'SIGKILL');
    expect(endOf(await turn)).toEqual(ended);
    expect(await server.client().approvals.get(asked.id)).toMatchObject({ state: 'cancelled' });
    const late = server.client().approvals.answer(asked.id, { decision: 'allow' });
    await expect(late).rejects.toMatchObject({ code: 'already_answered' });
    expect(desk.ranIn(id)).toEqual([]);
    // The CLI writes down what was said a moment later; one that dies at once leaves nothing behind.
    await removeTranscripts();
    expect(endOf(await server.say(id, 'remember that it died'))).toEqual({ outcome: 'completed' });
  });
});

describe('what is gone', () => {
  test('a transcript: said once, then a fresh conversation, and nothing of the log is lost; then the directory: the turn says which, and once it is back, so is the conversation', async () => {
    const cwd = join(server.work, 'soon-gone');
    await mkdir(cwd);
    const { id } = await server.create({ cwd, mode: 'acceptEdits' });
    await server.say(id, 'look at sun');
    const before = await server.read(id, (event) => event.type === 'turn_end');
    await server.restart();
    expect(await removeTranscripts()).toBeGreaterThan(0);
    const gone = await server.say(id, 'look at moon');
    expect(endOf(gone)).toEqual({
      outcome: 'failed',
      error: {
        code: 'session_gone',
        message: expect.stringMatching(
          /transcript was deleted.*log here is complete.*Send the message again/,
        ),
      },
    });
    expect(callsOf(await server.say(id, 'look at moon'))).toEqual(lookedAt('moon'));
    expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: look at moon.');
    expect(await server.read(id, (event) => event.type === 'turn_end')).toEqual(before);

    // And the fresh one is resumed like any other.
    await server.restart();
    await rm(cwd, { recursive: true });
    expect(endOf(await server.say(id, 'look at mars'))).toEqual({
      outcome: 'failed',
      error: { code: 'process_failed', message: expect.stringContaining(cwd) },
    });
    await mkdir(cwd);
    expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: look at moon.');
  });

  test('a home restored where no transcript is: the log is back, and its conversations go on', async () => {
    const { id } = await server.create({ mode: 'acceptEdits' });
    await server.say(id, 'look at sun');
    const before = await server.read(id, (event) => event.type === 'turn_end');
    const { lastSeq } = await server.client().sessions.get(id);
    const { path } = await server.client().backup();
    await server.say(id, 'look at mars');
    await server.restart(async () => {
      await restoreHome({ file: path, home: server.home, force: true });
      await removeTranscripts();
    });
    expect((await server.client().sessions.get(id)).lastSeq).toBe(lastSeq);
    expect(await server.read(id, (event) => event.type === 'turn_end')).toEqual(before);
    expect(endOf(await server.say(id, 'look at moon'))).toMatchObject({ error: { code: 'session_gone' } });
    expect(callsOf(await server.say(id, 'look at moon'))).toEqual(lookedAt('moon'));
  });
});
