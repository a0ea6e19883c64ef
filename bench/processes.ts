// Starts the real command as processes of their own, and ends every one of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const scenario = fileURLToPath(new URL('./scenario.yaml', import.meta.url));
/** Node's arguments for the command, as `npm start` gives them. */
const startArguments = manifest.scripts.start.split(' ').slice(1);

export interface Server extends AsyncDisposable {
  home: string;
  pid: number;
  url: string;
  token: string;
}

/** The scripted model in its own process, so that neither side of a comparison pays for it. */
export async function startModel(scenarioPath = scenario): Promise<AsyncDisposable & { url: string }> {
  const child = start(['rehearse', '--scenario', scenarioPath], {}, 'pipe');
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.once('exit', (code) => reject(new Error(`the scripted model ended with ${code}: ${printed}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /^ANTHROPIC_BASE_URL=(\S+)/m.exec(printed)?.[1];
      if (found) resolve(found);
    });
  });
  return { url, [Symbol.asyncDispose]: () => end(child) };
}

/** `serve` in a process of its own. Resolves as soon as it says that it listens. */
export async function startServer(home: string, env: Record<string, string> = {}): Promise<Server> {
  const child = start(['serve', '--port', '0', '--idle-exit', '60'], { TOOLYARD_HOME: home, ...env });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.once('message', (message: { url: string } | { error: { message: string } }) => {
      if ('url' in message) resolve(message.url);
      else reject(new Error(message.error.message));
    });
  });
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  return { home, pid: child.pid ?? 0, url, token, [Symbol.asyncDispose]: () => end(child) };
}

/** The environment is bare, so that a key of this machine's owner is never used. */
export function start(
  args: string[],
  env: Record<string, string>,
  stdout: 'pipe' | 'ignore' = 'ignore',
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [...startArguments, ...args], {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', stdout, 'ignore', 'ipc'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}
