// Starts the crash tests' server as a real process and ends it by pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type ErrorCode, ToolyardError } from '@toolyard/sdk';
import { bundled } from '../support/bundled.ts';
import type { ServerOrder, ServerWord } from './server-program.ts';

const program = await bundled(fileURLToPath(new URL('./server-program.ts', import.meta.url)));
/** Halves a start, of which there are hundreds; the real command keeps its own there. */
const compileCache = fileURLToPath(new URL('../../.cache', import.meta.url));
const startTimeoutMs = 30_000;

export interface Ready {
  url: string;
  token: string;
  client: Client;
}

export interface ServerProcess {
  pid: number;
  /** Resolves when it listens; rejects with what it died of. */
  ready: Promise<Ready>;
  /** Resolves when the process is gone and its number free. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): Promise<void>;
  send(signal: NodeJS.Signals): void;
  stderr(): string;
}

export function spawnServer(order: ServerOrder): ServerProcess {
  const child = spawn(process.execPath, ['--conditions=toolyard-source', program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-20_000);
  });
  // A killed process cannot read what is left of its input.
  child.stdin.on('error', () => {});
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const ready = toReady(child, () => stderr);
  // Who only waits for the exit must not be hit by a start that fails.
  ready.catch(() => {});
  const send = (signal: NodeJS.Signals) => void child.kill(signal);
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    send,
    async kill(signal) {
      send(signal);
      await exited;
    },
    stderr: () => stderr,
  };
}

async function toReady(child: ChildProcess, stderr: () => string): Promise<Ready> {
  const word = await firstLine(child);
  if (word === undefined) {
    throw new ToolyardError('server_unreachable', `The server ended before it listened. ${stderr()}`);
  }
  // The program writes this type and nothing else.
  const said = JSON.parse(word) as ServerWord;
  if ('error' in said) throw new ToolyardError(said.error.code as ErrorCode, said.error.message);
  const { url, token } = said;
  return { url, token, client: createClient({ baseUrl: url, token }) };
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (!child.stdout) return undefined;
  const lines = createInterface({ input: child.stdout });
  const timeout = AbortSignal.timeout(startTimeoutMs);
  const line = once(lines, 'line', { signal: timeout }).then(([text]) => String(text));
  return Promise.race([line, once(lines, 'close').then(() => undefined)]).catch(() => undefined);
}
