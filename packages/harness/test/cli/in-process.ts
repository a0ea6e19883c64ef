// Commands inside the test's own process, as clients of a real server there: fast, and a person can be scripted.
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Approval, defineTool, defineToolkit, type Engine, pause } from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedTurn } from '@toolyard/sdk/testing';
import { z } from 'zod';
import { openYard, type Yard } from '../../src/app.ts';
import { parseCommandLine } from '../../src/cli/command-line/arguments.ts';
import { explain, toUsageError } from '../../src/cli/command-line/exit-errors.ts';
import { commands } from '../../src/cli/commands.ts';
import type { Keyboard } from '../../src/cli/terminal/keyboard.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { workBeside } from '../support/work.ts';
import { quiet } from '../support/yard.ts';
import type { Finished, TestHome } from './toolyard-process.ts';

export interface CommandYard {
  yard: Yard;
  home: string;
  /** Where commands are run, and sessions work. */
  work: string;
  /** What `pay` has done. */
  paid: string[];
  /** Starts a command; with a person it believes to be at a terminal of 100 columns. */
  start(
    argv: readonly string[],
    at?: { person?: Keyboard; cwd?: string; env?: Record<string, string> },
  ): Started;
  run(...argv: string[]): Promise<Finished>;
  /** The newest approval that waits, in this session or in any, as soon as there is one. */
  pending(sessionId?: string): Promise<Approval>;
  close(): Promise<void>;
}

export interface Started {
  finished: Promise<Finished>;
  stdout(): string;
  stderr(): string;
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface CommandYardOptions {
  config?: string;
  /** `rehearsal`: the native engine, which talks to the scripted model. */
  engine?: Engine | 'rehearsal';
  /** The file of what the scripted model says; without it, the shipped one. */
  scenario?: string;
}

/** A server with `mcp__suite__pay` (execute) and `mcp__suite__look` (read), called by messages such as `pay bob`. */
export async function openCommandYard({
  config = '',
  engine = createCaller(),
  scenario,
}: CommandYardOptions = {}): Promise<CommandYard> {
  const paid: string[] = [];
  const home = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-commands-')));
  const work = workBeside(home);
  if (config) await writeFile(join(home, 'config.yaml'), config);
  const toolkits = [createSuite(paid)];
  const yard = await openYard({
    home,
    env: {},
    workspace: work,
    logger: quiet,
    toolkits,
    ...(engine !== 'rehearsal' && { engine }),
    ...(scenario && { scenario }),
  });
  await yard.listen({ host: '127.0.0.1', port: 0 });
  const env = { TOOLYARD_HOME: home, INIT_CWD: work, NO_COLOR: '1' };
  const start: CommandYard['start'] = (argv, { person, cwd = work, env: extra = {} } = {}) =>
    startCommand(argv, { ...env, INIT_CWD: cwd, ...extra }, person);
  return {
    yard,
    home,
    work,
    paid,
    start,
    run: (...argv) => start(argv).finished,
    pending: (sessionId) => findPending(yard, sessionId),
    async close() {
      await yard.close();
      for (const folder of [home, work]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function findPending(yard: Yard, sessionId?: string): Promise<Approval> {
  const filter = sessionId ? { state: 'pending', sessionId } : { state: 'pending' };
  for (let tries = 0; tries < 500; tries++) {
    const [approval] = (await yard.client().approvals.list(filter)).items;
    if (approval) return approval;
    await pause(10);
  }
  throw new Error('nobody was asked');
}

export function startCommand(argv: readonly string[], env: NodeJS.ProcessEnv, person?: Keyboard): Started {
  const written = { stdout: '', stderr: '' };
  const isTTY = person !== undefined;
  const stream = (name: keyof typeof written) => ({
    isTTY,
    columns: 100,
    write(text: string, done?: () => void) {
      written[name] += text;
      done?.();
    },
  });
  const { out, err } = createTerminal({ stdout: stream('stdout'), stderr: stream('stderr') }, env);
  const terminal = { out, err, keyboard: person };
  const work = async () => {
    const parsed = parseCommandLine(commands, argv);
    if (parsed.kind === 'mistake') throw toUsageError(parsed);
    if (parsed.kind !== 'call') throw new Error(`${argv.join(' ')} runs nothing`);
    return parsed.run({ ...parsed, env, terminal });
  };
  const finished = work()
    .catch((thrown) => explain(thrown, { terminal, json: argv.includes('--json'), env }))
    .then((code) => ({ code, ...written }));
  return {
    finished,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    async until(pattern) {
      for (let waited = 0; waited < 10_000; waited += 10) {
        const found = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
        if (found) return found;
        await pause(10);
      }
      throw new Error(`${argv.join(' ')} never wrote ${pattern}: ${JSON.stringify(written)}`);
    },
  };
}

/** A command in the test's own process, in a home whose server is a process as ever: where that is not the point. */
export function runIn(
  { env, work }: TestHome,
  argv: readonly string[],
  extra: Record<string, string> = {},
): Promise<Finished> {
  return startCommand(argv, { ...env, INIT_CWD: work, ...extra }).finished;
}

/** A person who answers with these keys and lines, one for each time they are asked; then they leave it open. */
export function createPerson(...answers: string[]): Keyboard {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  return {
    async press({ keys, onReady, onOther, signal }) {
      onReady();
      for (let key = answers.shift(); key !== undefined; key = answers.shift()) {
        if (key.length === 1 && keys.includes(key)) return key;
        onOther();
      }
      return untilAborted(signal);
    },
    line: async (_, signal) => answers.shift() ?? untilAborted(signal),
  };
}

function createSuite(paid: string[]) {
  return defineToolkit({
    name: 'suite',
    server: 'suite',
    tools: [
      defineTool({
        name: 'pay',
        title: 'Pay',
        description: 'Pays somebody.',
        effect: 'execute',
        input: z.strictObject({ to: z.string() }),
        output: z.object({ paid: z.string() }),
        preview: ({ to }) => `1 euro to ${to}`,
        run: async ({ to }) => {
          paid.push(to);
          return { paid: to };
        },
      }),
      defineTool({
        name: 'look',
        title: 'Look',
        description: 'Looks.',
        effect: 'read',
        tier: 'session',
        input: z.strictObject({ at: z.string() }),
        output: z.object({ seen: z.string() }),
        run: async ({ at }) => ({ seen: at }),
      }),
    ],
  });
}

/** `pay bob, look here` makes two calls at once; then the model says what it heard. */
function createCaller(): Engine {
  return createScriptedEngine({
    reply: ({ text, outcomes }: ScriptedTurn) => {
      if (outcomes.length > 0) return [{ text: outcomes.map((outcome) => outcome.text).join('|') }];
      const calls = text.split(', ').map((line) => {
        const [name, argument] = line.split(' ');
        return { tool: `mcp__suite__${name}`, input: name === 'pay' ? { to: argument } : { at: argument } };
      });
      return [{ calls }];
    },
  });
}
