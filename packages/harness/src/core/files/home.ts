// The home directory: private to its owner, with the token, the database and word of the running server in it.
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';

export function resolveHome(env: NodeJS.ProcessEnv): string {
  return resolve(env.TOOLYARD_HOME || join(env.HOME || homedir(), '.toolyard'));
}

/** Makes the home, readable by its owner alone. */
export async function prepareHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const { mode, uid } = await stat(home);
    if (process.getuid && uid !== process.getuid()) throw new Error('it belongs to another user');
    if ((mode & 0o077) !== 0) await chmod(home, 0o700);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = 'Set TOOLYARD_HOME to a directory that you own.';
    throw new ToolyardError('home_unusable', `The home ${home} cannot be used: ${reason}. ${hint}`, {
      cause,
    });
  }
}

/** The person's token: from the environment, else from the home. */
export async function readToken(home: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.TOOLYARD_TOKEN) return env.TOOLYARD_TOKEN;
  const text = await readFile(join(home, 'token'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** The token, made on first use. */
export async function ensureToken(home: string, env: NodeJS.ProcessEnv): Promise<string> {
  const found = await readToken(home, env);
  if (found) return found;
  return makeToken(home).catch((cause: unknown) => {
    throw toWriteError(home, cause);
  });
}

async function makeToken(home: string): Promise<string> {
  const path = join(home, 'token');
  // A file without a word in it would keep every new one out.
  const leftover = await readFile(path, 'utf8').catch(() => undefined);
  if (leftover?.trim() === '') await rm(path, { force: true });
  const temporary = await writeTemporary(path, `tyd_${randomBytes(24).toString('base64url')}\n`);
  // Of two servers that start in a new home at once, both must know the same token: the first stays.
  await link(temporary, path).catch(refuseUnlessExists);
  await rm(temporary);
  return (await readFile(path, 'utf8')).trim();
}

function refuseUnlessExists(thrown: unknown): void {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
}

const ServerFile = z.object({ pid: z.int(), url: z.string(), startedAt: z.string() });
export type ServerFile = z.infer<typeof ServerFile>;

/** Where commands find the server of this home. A leftover of a dead server is told apart by asking it. */
export async function readServerFile(home: string): Promise<ServerFile | undefined> {
  const text = await readFile(join(home, 'server.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return ServerFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function writeServerFile(home: string, file: ServerFile): Promise<void> {
  await writePrivate(join(home, 'server.json'), `${JSON.stringify(file)}\n`).catch((cause: unknown) => {
    throw toWriteError(home, cause);
  });
}

function toWriteError(home: string, cause: unknown): ToolyardError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const message = isFull
    ? `Cannot write to ${home}: the disk is full. Free some space and start again.`
    : `Cannot write to ${home} (${reason}). Check its permissions: ls -ld ${home}`;
  return new ToolyardError('home_unusable', message, { cause });
}

/** Takes back the word of this process; that of one which took the home over stays. */
export async function removeServerFile(home: string, pid: number): Promise<void> {
  if ((await readServerFile(home))?.pid === pid) await rm(join(home, 'server.json'), { force: true });
}

/** Writes a file whole or not at all, for its owner's eyes only. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await rename(await writeTemporary(path, text), path);
}

/** The same under another name, for whoever has something to do before it counts. */
export async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (thrown) {
    // Half a file is nobody's, and every further start on a full disk would leave one more.
    await rm(temporary, { force: true }).catch(() => {});
    throw thrown;
  } finally {
    await file.close();
  }
  return temporary;
}
