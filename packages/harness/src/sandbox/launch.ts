// The one place where a child process is made. Makes its pipes safe at once; knows nothing of namespaces or owners.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import type { ProcessExit, ProcessInput, ProcessOutput, ProcessSpec } from '@toolyard/sdk';
import type { Environment } from './environment.ts';
import { toInput, toOutput } from './pipes.ts';

export interface LaunchOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  stdio: ProcessSpec['stdio'];
  /** Further two-way pipes, as descriptors 3 and up. */
  channels?: number;
}

export interface Launched {
  pid: number;
  stdin: ProcessInput;
  stdout: ProcessOutput;
  stderr: ProcessOutput;
  channels: Duplex[];
  /** Never rejects. */
  exit: Promise<ProcessExit>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Resolves when the process is there; rejects when the system refuses. It gets a session of its own: no terminal to steal, and
 * Ctrl-C in the server's terminal is the server's to answer.
 */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { file, args, cwd, env, stdio, channels = 0 } = options;
  const streams = [stdio?.stdin ?? 'pipe', stdio?.stdout ?? 'pipe', stdio?.stderr ?? 'pipe'] as const;
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env,
    detached: true,
    shell: false,
    stdio: [...streams, ...Array.from({ length: channels }, () => 'pipe' as const)],
  });
  if (child.pid === undefined) throw await once(child, 'error').then(([error]) => error);
  // Later errors are signals that found nobody.
  child.on('error', () => {});
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid,
    stdin: toInput(child.stdin),
    stdout: toOutput(child.stdout, exit),
    stderr: toOutput(child.stderr, exit),
    channels: toChannels(child),
    exit,
    signal: (signal) => void child.kill(signal),
  };
}

function toChannels(child: ChildProcess): Duplex[] {
  const channels = child.stdio.slice(3).filter((stream) => stream instanceof Duplex);
  for (const channel of channels) channel.on('error', () => {});
  return channels;
}
