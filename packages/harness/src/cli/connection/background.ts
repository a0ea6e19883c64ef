// Starts `serve` in its own process and waits for its report. The server outlives the command and exits when idle.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ErrorBody, type Failure, ToolyardError } from '@toolyard/sdk';

export const idleExitSeconds = 300;
const maxLogBytes = 5 * 1024 * 1024;
/** The same as in `npm start`. With Node's default, a busy server uses 100 MB more and pauses longer. */
const semiSpaceFlag = '--max-semi-space-size=16';

/** What a server reports over IPC to the command that started it. */
export type Announcement = { url: string } | { error: Failure };

/** How a start went: reported, or ended or timed out without a report. */
export type Launch = Announcement | { silent: string };

export interface LaunchOptions {
  home: string;
  workspace: string;
  env: NodeJS.ProcessEnv;
  /** Listen on any free port, whatever the configuration says. */
  anyPort: boolean;
  timeoutMs: number;
  /** Called with the reason when the start takes longer. */
  onBusy: (message: string) => void;
}

/** A large home is backed up before it is upgraded. */
const upgradeTimeoutMs = 60 * 60_000;

/** Kills a server that does not report in time. */
export async function launchServer(options: LaunchOptions): Promise<Launch> {
  const logPath = join(options.home, 'logs', 'server.log');
  const log = openLog(options.home, logPath);
  const child = spawn(process.execPath, toArguments(options), {
    cwd: options.home,
    // The server has another working directory, in which a relative home would be a different one.
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

/** Was this process started by a command that waits for a report? */
export function isAnnounced(): boolean {
  return process.send !== undefined;
}

/** Asks the command that started this process, if any, to wait longer. */
export function requestMoreTime(message: string): void {
  process.send?.({ busy: message });
}

/** Reports to the command that started this process, if any. Resolves when the report is sent. */
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
