// Runs `git` so that nothing of the repository runs: no hooks, no monitors, no editors, no network. What it says is
// bounded. Filters that a repository defines are core/worktrees/worktree-git.ts's to switch off: it knows which there are.
import { spawn } from 'node:child_process';
import { type ProcessOutput, type SpawnProcess, ToolyardError } from '@toolyard/sdk';
import type { Git, GitResult } from '../core/worktrees/worktree-git.ts';
import { defaultPath, toEnvironment } from './environment.ts';
import { findExecutable } from './executable.ts';
import { toReason, toSpawnError } from './spawn-error.ts';

const shortMs = 30_000;
const longMs = 900_000;
const defaultBytes = 1_048_576;

/** Given on the command line, these win over every configuration there is. */
const settings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.editor=:', 'core.pager=cat'],
  ...['protocol.allow=never', 'submodule.recurse=false', 'gc.auto=0', 'maintenance.auto=false'],
  ...['commit.gpgSign=false', 'core.askPass=', 'core.sshCommand=false', 'core.safecrlf=false'],
];

/** Who commits what an agent has left; no identity of the person's is needed or used. */
const author = { name: 'Toolyard', email: 'agents@toolyard.invalid' };

const environment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Wins over `protocol.<name>.allow` of a repository, which `protocol.allow` does not.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_EDITOR: ':',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: author.email,
  GIT_COMMITTER_NAME: author.name,
  GIT_COMMITTER_EMAIL: author.email,
};

export interface GitDeps {
  /** The server's environment: PATH, HOME and a few harmless words of it are passed on, nothing that git listens to. */
  env: NodeJS.ProcessEnv;
  /** For what may take long, and must not outlive the server. */
  spawn: SpawnProcess;
}

interface GitCommand {
  args: readonly string[];
  cwd: string;
  signal: AbortSignal;
  maxBytes: number;
}

export function createGit({ env, spawn: spawnOwned }: GitDeps): Git {
  return {
    async run(args, cwd, { signal, isLong = false, maxBytes = defaultBytes } = {}) {
      signal?.throwIfAborted();
      const max = isLong ? longMs : shortMs;
      const timeout = AbortSignal.timeout(max);
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const whole = ['--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args];
      const options = { args: whole, cwd, signal: either, maxBytes };
      const result = await (isLong ? runOwned(spawnOwned, options) : runShort(env, options)).catch(
        (thrown) => {
          signal?.throwIfAborted();
          if (timeout.aborted) return { code: 124, stdout: '', stderr: '' };
          throw toRefusal(thrown);
        },
      );
      signal?.throwIfAborted();
      if (!timeout.aborted) return result;
      return { code: 124, stdout: '', stderr: `it timed out after ${max / 1_000} seconds` };
    },
  };
}

function toRefusal(cause: unknown): unknown {
  if (!(cause instanceof ToolyardError) || cause.code !== 'process_failed') return cause;
  const how = 'Worktrees need git: install it, or draft the agent without isolation.';
  return new ToolyardError('worktree_failed', `${cause.message} ${how}`, { cause });
}

/** In a group of its own, so that what git itself has started ends with it. */
async function runShort(
  env: NodeJS.ProcessEnv,
  { args, cwd, signal, maxBytes }: GitCommand,
): Promise<GitResult> {
  const childEnv = toEnvironment(env, { cwd, env: environment });
  const found = await findExecutable('git', childEnv.PATH ?? defaultPath, cwd);
  if ('missing' in found) throw toSpawnError('git', found.missing);
  const child = spawn(found.path, args, {
    cwd,
    env: childEnv,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(toSpawnError('git', toReason(cause), cause)));
    child.once('close', (code) => resolve(code ?? 128));
  });
  const end = () => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const [code, stdout, stderr] = await Promise.all([
      exited,
      readAll(child.stdout, maxBytes),
      readAll(child.stderr, maxBytes),
    ]);
    return stdout === undefined || stderr === undefined ? tooMuch(maxBytes) : { code, stdout, stderr };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

async function runOwned(
  spawnOwned: SpawnProcess,
  { args, cwd, signal, maxBytes }: GitCommand,
): Promise<GitResult> {
  const purpose = 'git of a worktree';
  const stdio = { stdin: 'ignore' } as const;
  const owned = await spawnOwned({ command: 'git', args, cwd, env: environment, purpose, signal, stdio });
  const [stdout, stderr, exit] = await Promise.all([
    readAll(owned.stdout, maxBytes),
    readAll(owned.stderr, maxBytes),
    owned.exited,
  ]);
  if (stdout === undefined || stderr === undefined) return tooMuch(maxBytes);
  return { code: exit.code ?? 128, stdout, stderr };
}

/** Half an answer is none: whoever reads a list must not take it for the whole. */
function tooMuch(bytes: number): GitResult {
  return { code: 125, stdout: '', stderr: `its output exceeds ${bytes} bytes` };
}

/** Read to the end, so that git is not held back. */
async function readAll(output: ProcessOutput, max: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of output) {
    length += chunk.length;
    if (length <= max) chunks.push(chunk);
  }
  return length > max ? undefined : Buffer.concat(chunks).toString('utf8');
}
