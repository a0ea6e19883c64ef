// Runs `git` so that nothing of the repository runs: no hooks, no monitors, no editors, no network. It may write only
// where its caller says. What it says is bounded. Filters that a repository defines are core/worktrees/worktree-git.ts's to switch off: it knows which there are.

import { join } from 'node:path';
import { type ProcessOutput, type ProcessView, type SpawnProcess, ToolyardError } from '@toolyard/sdk';
import { secretNames } from '../core/protected-paths/protected-names.ts';
import type { Git, GitResult } from '../core/worktrees/worktree-git.ts';

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
  spawn: SpawnProcess;
}

interface GitCommand {
  args: readonly string[];
  cwd: string;
  signal: AbortSignal;
  maxBytes: number;
  view: ProcessView;
  isBrief: boolean;
}

export function createGit({ env, spawn }: GitDeps): Git {
  const { HOME: userHome } = env;
  const hidden = userHome ? secretNames.map((name) => join(userHome, name)) : [];
  return {
    async run(args, cwd, { signal, isLong = false, maxBytes = defaultBytes, writable = [] } = {}) {
      signal?.throwIfAborted();
      const max = isLong ? longMs : shortMs;
      const timeout = AbortSignal.timeout(max);
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const whole = ['--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args];
      const view = { hidden, writable };
      const command = { args: whole, cwd, signal: either, maxBytes, view, isBrief: !isLong };
      const result = await runOwned(spawn, command).catch((thrown) => {
        signal?.throwIfAborted();
        if (timeout.aborted) return { code: 124, stdout: '', stderr: '' };
        throw toRefusal(thrown);
      });
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

async function runOwned(
  spawn: SpawnProcess,
  { args, cwd, signal, maxBytes, view, isBrief }: GitCommand,
): Promise<GitResult> {
  const purpose = 'git of a worktree';
  const stdio = { stdin: 'ignore' } as const;
  const owned = await spawn({
    command: 'git',
    args,
    cwd,
    env: environment,
    purpose,
    signal,
    stdio,
    view,
    isBrief,
  });
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
