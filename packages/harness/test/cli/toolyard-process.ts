// Runs the real command in real processes, each test in a home of its own and without this machine's environment.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, pause } from '@toolyard/sdk';

/** The command as `npm start` runs it: from the bundle that the setup of the ring has made. */
export const command = [
  process.execPath,
  '--conditions=toolyard-source',
  fileURLToPath(new URL('../../bin/toolyard.mjs', import.meta.url)),
];

/** What V8 compiled, which halves the time of each command; the real one keeps its own there. */
export const compileCache = fileURLToPath(new URL('../../.cache', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** All it has printed so far. */
  stdout(): string;
  stderr(): string;
  finished: Promise<Finished>;
  /** Waits for a match in what it prints on either stream. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface StartOptions {
  /** `undefined` takes a variable away. */
  env?: Record<string, string | undefined>;
  /** What is piped in; nothing, and closed, when absent. */
  input?: string;
  cwd?: string;
  /** Run it on a terminal of its own: what it prints comes as the bytes the terminal gets, what is typed goes to stdin. */
  terminal?: boolean;
}

/** Whether this machine has what gives a command a terminal. */
export const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

function onTerminal(command: readonly string[]): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return [
    'script',
    '--quiet',
    '--return',
    '--flush',
    '--command',
    `stty cols 200; exec ${quoted}`,
    '/dev/null',
  ];
}

export type TestHome = Awaited<ReturnType<typeof createHome>>;

/** A fresh home below a fresh user directory; `end` stops every process that belongs to it. */
export async function createHome(extra: Record<string, string> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-cli-')));
  const home = join(root, 'home');
  const work = join(root, 'work');
  await mkdir(work);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: root,
    TOOLYARD_HOME: home,
    TOOLYARD_PORT: '0',
    NODE_COMPILE_CACHE: compileCache,
    ...extra,
  };
  const started = new Set<ChildProcess>();

  function start(args: readonly string[], options: StartOptions = {}): Running {
    const [program = '', ...words] = options.terminal
      ? onTerminal([...command, ...args])
      : [...command, ...args];
    const child = spawn(program, words, {
      cwd: options.cwd ?? work,
      env: { ...env, ...options.env },
      stdio: 'pipe',
    });
    started.add(child);
    if (!options.terminal) child.stdin.end(options.input ?? '');
    return watch(child, args);
  }

  return {
    home,
    work,
    env,
    start,
    run: (args: readonly string[], options?: StartOptions): Promise<Finished> =>
      start(args, options).finished,
    server: () => readServer(home),
    async client(): Promise<Client> {
      const { url = '' } = (await readServer(home)) ?? {};
      const token = (await readFile(join(home, 'token'), 'utf8')).trim();
      return createClient({ baseUrl: url, token });
    },
    async end(): Promise<void> {
      for (const child of started) child.kill('SIGKILL');
      const server = await readServer(home);
      if (server) endProcess(server.pid);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function watch(child: ChildProcess, args: readonly string[]): Running {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  // A command may leave without reading its input.
  child.stdin?.on('error', () => {});
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => resolve({ code, ...printed }));
  });
  return {
    child,
    finished,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    async until(pattern) {
      for (let waited = 0; waited < 20_000; waited += 20) {
        const found = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr);
        if (found) return found;
        await pause(20);
      }
      throw new Error(`${args.join(' ')} never printed ${pattern}: ${JSON.stringify(printed)}`);
    },
  };
}

/** What the running server left word of in its home. */
async function readServer(home: string): Promise<{ pid: number; url: string } | undefined> {
  const text = await readFile(join(home, 'server.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It had ended by itself.
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
