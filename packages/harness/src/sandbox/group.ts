// Starts a process where there are no namespaces: in a process group of its own, marked so that what leaves the
// group is still found on Linux. The home is not hidden here.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessSpec } from '@toolyard/sdk';
import { defaultPath, type Environment } from './environment.ts';
import { findExecutable } from './executable.ts';
import { launch } from './launch.ts';
import type { ProcessTable } from './process-table.ts';
import { endAll, findTree, markName, type Started, sendSignal } from './process-tree.ts';

export interface GroupOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  stdio?: ProcessSpec['stdio'];
  mark: string;
  signal?: AbortSignal | undefined;
  onLaunched?: (pid: number) => void;
}

export async function startInGroup(options: GroupOptions, table: ProcessTable): Promise<Started> {
  const [file = '', ...args] = [...(await findBinder()), options.file, ...options.args];
  options.signal?.throwIfAborted();
  const { cwd, stdio } = options;
  const launched = await launch({
    file,
    args,
    cwd,
    env: { ...options.env, [markName]: options.mark },
    stdio,
  });
  options.onLaunched?.(launched.pid);
  const find = () => findTree(table, { leader: launched.pid, id: options.mark });
  const tree = {
    async ask() {
      for (const pid of await find()) sendSignal(pid, 'SIGTERM');
    },
    end: () => endAll(find),
  };
  return { launched, tree, toExit: (exit) => exit };
}

let binder: Promise<string[]> | undefined;

/**
 * Words to put before a command so that it dies with the server, its own children not included; none where setpriv
 * is missing or too old. It also keeps the command from becoming another user, whom we could not end.
 */
function findBinder(): Promise<string[]> {
  binder ??= (async () => {
    if (process.platform !== 'linux') return [];
    const setpriv = await findExecutable('setpriv', defaultPath, '/');
    if ('missing' in setpriv) return [];
    const words = [setpriv.path, '--pdeathsig', 'KILL', '--no-new-privs', '--'];
    const [file = '', ...args] = [...words, '/bin/sh', '-c', ':'];
    return promisify(execFile)(file, args, { timeout: 5_000, env: {} }).then(
      () => words,
      () => [],
    );
  })();
  return binder;
}
