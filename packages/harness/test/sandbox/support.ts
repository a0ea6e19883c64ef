// Real sandboxes on real folders for the sandbox's tests, and a way to see which processes are left on the machine.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type OwnedProcess, type ProcessOutput, type ProcessSpec, ToolyardError } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Kind, reportOf, type ServerOrder } from './family.ts';

export interface Folders {
  /** With a token in it that no process should be able to read. */
  home: string;
  workspace: string;
}

export function newFolders(): Folders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-sandbox-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const folders = { home: join(root, 'home'), workspace: join(root, 'workspace') };
  mkdirSync(folders.home, { mode: 0o700 });
  mkdirSync(folders.workspace);
  writeFileSync(join(folders.home, 'token'), 'canary-token');
  return folders;
}

export interface TestSandbox extends Folders {
  sandbox: Sandbox;
  /** What the log was told, in order. */
  logged: string[];
  /** Starts a command with nothing but what the test cares about. */
  start(command: string, args?: readonly string[], spec?: Partial<ProcessSpec>): Promise<OwnedProcess>;
}

export async function openTestSandbox(
  kind: Kind,
  folders = newFolders(),
  env = process.env,
): Promise<TestSandbox> {
  const report = await reportOf(kind);
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const logger = { debug: note, info: note, warn: note, error: note };
  const sandbox = await openSandbox({ home: folders.home, env, logger, probe: async () => report });
  onTestFinished(() => sandbox.close());
  return {
    ...folders,
    sandbox,
    logged,
    start: (command, args = [], spec = {}) =>
      sandbox.spawn({ command, args, cwd: folders.workspace, env: {}, purpose: 'a test', ...spec }),
  };
}

/** Runs a shell script to its end. */
export async function run({ start }: TestSandbox, script: string, spec?: Partial<ProcessSpec>) {
  const owned = await start('sh', ['-c', script], spec);
  await owned.stdin.end();
  const [stdout, stderr, exit] = await Promise.all([
    textOf(owned.stdout),
    textOf(owned.stderr),
    owned.exited,
  ]);
  return { stdout, stderr, ...exit };
}

export async function textOf(output: ProcessOutput): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** What a promise was rejected with; anything but an error of ours fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<ToolyardError> {
  const thrown = await promise.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (thrown instanceof ToolyardError) return thrown;
  throw thrown;
}

/** Seconds to sleep that no other process on the machine sleeps: a name by which a process can be found. */
export function newNap(): string {
  return `3600.${randomInt(1e9, 9e9)}`;
}

/** The living processes of this machine that have `word` in their command line. Those of the test itself do not count. */
export function findProcesses(word: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command, pid }) => command.includes(word) && isLiving(pid));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** One that has ended may still be on the list until its parent has heard of it. */
function isLiving(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Those that really sleep, without the shells and wrappers around them. */
export function findSleepers(nap: string): number[] {
  return findProcesses(nap)
    .filter(({ command }) => command === `sleep ${nap}`)
    .map(({ pid }) => pid);
}

/** Waits until it holds; the test's own timeout is the end of it. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain`);
    await sleep(10);
  }
}

/** A server in a process of its own (server-program.ts), to be killed. It and what it left are gone when the test is. */
export function startServer(order: ServerOrder) {
  const program = fileURLToPath(new URL('server-program.ts', import.meta.url));
  // The order goes in by stdin: in the command line the server itself would be found by its nap.
  const child = spawn(process.execPath, ['--conditions=toolyard-source', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(order));
  const gone = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
    for (const { pid } of findProcesses(order.nap)) process.kill(pid, 'SIGKILL');
  });
  return {
    /** The next thing it says. */
    said: async () => String((await once(lines, 'line'))[0]),
    gone,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
