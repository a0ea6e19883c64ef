// Starts `serve` as a process of its own and hears how that went. It outlives the command and ends itself when idle.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ErrorBody, type Failure, ToolyardError } from '@toolyard/sdk';

export const idleExitSeconds = 300;
const maxLogBytes = 5 * 1024 * 1024;
/** As `npm start` has it. Node's own default makes a busy server 100 MB larger and its pauses longer. */
const semiSpaceFlag = '--max-semi-space-size=16';

/** What a server tells the command that started it, over the IPC channel. */
export type Announcement = { url: string } | { error: Failure };

/** How a start went: announced, or ended (or out of time) without a word. */
export type Launch = Announcement | { silent: string };

export interface LaunchOptions {
  home: string;
  workspace: string;
  env: NodeJS.ProcessEnv;
  /** Listen on any free port, whatever the configuration says. */
  anyPort: boolean;
  timeoutMs: number;
  /** Hears that the start takes longer, and why. */
  onBusy: (message: string) => void;
}

/** A large home is backed up before it is upgraded. */
const upgradeTimeoutMs = 60 * 60_000;

/** A server that did not announce itself in time is ended. */
export async function launchServer(options: LaunchOptions): Promise<Launch> {
  const logPath = join(options.home, 'logs', 'server.log');
  const log = openLog(options.home, logPath);
  const child = spawn(process.execPath, toArguments(options), {
    cwd: options.home,
    // The server runs elsewhere: a relative home would be another one there.
    env: { ...options.env, TOOLYARD_HOME: options.home },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const launch = await waitForLaunch(child, options);
  if (child.connected) child.disconnect();
  child.unref();
  return launch ?? { silent: toTail(logPath) };
}

/** Was this process started by a command that waits for word? */
export function isAnnounced(): boolean {
  return process.send !== undefined;
}

/** Asks the command that started this process, when one did, to wait for longer. */
export function requestMoreTime(message: string): void {
  process.send?.({ busy: message });
}

/** Tells the command that started this process, when one did. Resolves when it has been told. */
export function announce(announcement: Announcement): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(announcement, () => {
      if (process.connected) process.disconnect?.();
      resolve();
    });
  });
}

function toArguments({ workspace, anyPort }: LaunchOptions): string[] {
  const command = fileURLToPath(new URL('../../../bin/toolyard.mjs', import.meta.url));
  const serve = ['serve', '--idle-exit', String(idleExitSeconds), '--workspace', workspace];
  return [semiSpaceFlag, ...process.execArgv, command, ...serve, ...(anyPort ? ['--port', '0'] : [])];
}

function waitForLaunch(
  child: ChildProcess,
  { timeoutMs, onBusy }: Pick<LaunchOptions, 'timeoutMs' | 'onBusy'>,
): Promise<Announcement | undefined> {
  return new Promise((resolve) => {
    const giveUp = () => {
      child.kill('SIGKILL');
      resolve(undefined);
    };
    let timer = setTimeout(giveUp, timeoutMs);
    const settle = (announcement?: Announcement) => {
      clearTimeout(timer);
      resolve(announcement);
    };
    child.on('message', (message) => {
      const busy = parseBusy(message);
      if (busy === undefined) return settle(parseAnnouncement(message));
      clearTimeout(timer);
      timer = setTimeout(giveUp, upgradeTimeoutMs);
      onBusy(busy);
    });
    child.once('exit', () => settle());
    child.once('error', () => settle());
  });
}

function parseBusy(message: unknown): string | undefined {
  const isBusy = typeof message === 'object' && message !== null && 'busy' in message;
  return isBusy ? String(message.busy) : undefined;
}

function parseAnnouncement(message: unknown): Announcement | undefined {
  const failed = ErrorBody.safeParse(message);
  if (failed.success) return failed.data;
  const isReady = typeof message === 'object' && message !== null && 'url' in message;
  return isReady && typeof message.url === 'string' ? { url: message.url } : undefined;
}

function openLog(home: string, path: string): number {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.old`);
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const next = 'Make it writable, or set TOOLYARD_HOME to another directory.';
    throw new ToolyardError('home_unusable', `Cannot write to ${home} (${reason}). ${next}`, { cause });
  }
}

function toTail(path: string): string {
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
}
