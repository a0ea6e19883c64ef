// What the CLI obeys besides its command line: a configuration folder of ours. Where processes can be given a view of
// their own, the CLI finds ours in the place of the person's, cannot change it, and has a home directory of its own; only
// conversations and the login are the person's. Elsewhere it uses the person's folder. In both cases, settings from
// outside that reach it and touch the gate refuse the start.
import { randomBytes } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessView, privateFolder, type ShownPath, ToolyardError } from '@toolyard/sdk';
import { readText, requireFolder } from '../../../untrusted-files/untrusted-files.ts';
import type { Isolation } from '../gate/options.ts';
import { toConfigFolder } from '../transcripts/transcript-file.ts';
import {
  findManagedSettings,
  findPersonalSettings,
  managedFolder,
  type OutsideSetting,
} from './outside-settings.ts';

/** Below Toolyard's home. */
const ownFolderName = 'claude';

/** Of the person's folder: what belongs to a conversation, wherever it goes on. A spare waits in the last. */
const shared = ['projects', 'plans', 'tasks', 'spares'];
/** What the CLI writes for its own commands. Nothing in them is a setting. */
const scratch = ['session-env', 'shell-snapshots'];
/** Where the CLI sees the person's whole folder, when it needs their login. */
const login = 'login';
/** It tells the CLI which installation this is. All else that the CLI would keep in this file is none of its business. */
const stateFile = '.claude.json';
const maxStateBytes = 10_000;

export interface ConfigFolderOptions {
  /** Toolyard's. */
  home: string;
  /** The person's: it says where their own folder is. */
  env: NodeJS.ProcessEnv;
  trustsManaged: boolean;
  /** Does a process see what its view says? */
  hasViews(): Promise<boolean>;
  /** For tests: in place of the system's. */
  managed?: string;
}

export interface SettingsReport {
  /** The folder that the CLI is configured by. */
  folder: string;
  /** The person's own. */
  theirs: string;
  /** Settings of others for which it is not started. */
  reaching: OutsideSetting[];
  /** Those in the person's files that only a terminal's CLI obeys. */
  ignored: OutsideSetting[];
}

export function createConfigFolder({
  home,
  env,
  trustsManaged,
  hasViews,
  managed = managedFolder,
}: ConfigFolderOptions) {
  async function check(canHide: boolean): Promise<void> {
    const isManagedSeen = trustsManaged || !canHide;
    const [found] = [
      ...(isManagedSeen ? await findManagedSettings(managed) : []),
      ...(canHide ? [] : await findPersonalSettings(env)),
    ];
    if (found) throw toRefusal(found, canHide);
  }

  let making: Promise<string> | undefined;
  /** Once for all that start at the same time. */
  function makeOwn(): Promise<string> {
    making ??= makeOwnFolder(home).finally(() => {
      making = undefined;
    });
    return making;
  }

  return {
    /** For whoever asks what the CLI obeys. */
    async inspect(): Promise<SettingsReport> {
      const canHide = await hasViews();
      const theirs = toConfigFolder(env);
      const [ofSystem, ofPerson] = await Promise.all([
        findManagedSettings(managed),
        findPersonalSettings(env),
      ]);
      return {
        folder: canHide ? join(home, ownFolderName) : theirs,
        theirs,
        reaching: [...(trustsManaged || !canHide ? ofSystem : []), ...(canHide ? [] : ofPerson)],
        ignored: canHide ? ofPerson : [],
      };
    },
    /** Before each start. Rejects when something from outside would change what the gate sees. */
    async prepare(access: Readonly<Record<string, string>>): Promise<Isolation> {
      const canHide = await hasViews();
      await check(canHide);
      const isLoggedIn = !credentials.some((name) => access[name]);
      // The address of the model is ours to say; and commands do not see the key.
      const byHost = isLoggedIn ? undefined : { CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1' };
      if (!canHide) return { env: { ...byHost } };
      const [own, theirs] = await Promise.all([makeOwn(), findTheirs(toConfigFolder(env))]);
      const at = theirs.path;
      const shown: ShownPath[] = [
        { path: own, at, access: 'read' },
        ...scratch.map((name) => ({ path: join(own, name), at: join(at, name), access: 'write' as const })),
        ...theirs.shared.map(({ name, path }) => ({ path, at: join(at, name), access: 'write' as const })),
        ...(isLoggedIn ? [{ path: at, at: join(at, login), access: 'write' as const }] : []),
      ];
      const view: ProcessView = { hidden: trustsManaged ? [] : [managed], shown };
      return {
        env: {
          HOME: join(home, privateFolder),
          CLAUDE_CONFIG_DIR: at,
          ...(isLoggedIn && { CLAUDE_SECURESTORAGE_CONFIG_DIR: join(at, login) }),
          ...byHost,
        },
        view,
      };
    },
  };
}

const credentials = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

const folders = [...scratch, ...shared, login];
const isState = /^\{"userID":"[0-9a-f]{64}"\}\n$/;
const toState = () => `${JSON.stringify({ userID: randomBytes(32).toString('hex') })}\n`;

/** As it should be: what has no place in it is removed. */
async function makeOwnFolder(home: string): Promise<string> {
  const wanted = join(home, ownFolderName);
  if (await isInOrder(wanted)) return wanted;
  const { folder, path } = await requireFolder(wanted);
  await using own = folder;
  for (const name of await own.names()) {
    if (name !== stateFile && !folders.includes(name)) await own.removeTree(name);
  }
  for (const name of folders) await (await own.requireFolder(name))[Symbol.asyncDispose]();
  const found = await own.readText(stateFile, maxStateBytes).catch(() => '');
  if (!found || !isState.test(found)) await own.writeText(stateFile, toState());
  return path;
}

/** Nobody but the server writes in this folder, so that looking at it is enough. */
async function isInOrder(path: string): Promise<boolean> {
  try {
    const [entries, state] = await Promise.all([
      readdir(path, { withFileTypes: true }),
      readText(join(path, stateFile), maxStateBytes),
    ]);
    const found = entries.filter((entry) => entry.isDirectory() && folders.includes(entry.name));
    return (
      found.length === folders.length && entries.length === found.length + 1 && isState.test(state ?? '')
    );
  } catch {
    return false;
  }
}

interface TheirFolder {
  /** Without links. */
  path: string;
  shared: { name: string; path: string }[];
}

/** Made where it is missing. A person may have put links in it, to keep their conversations elsewhere. */
async function findTheirs(path: string): Promise<TheirFolder> {
  const wanted = [path, ...shared.map((name) => join(path, name))];
  const find = async () => {
    const [real = path, ...rest] = await Promise.all(wanted.map((each) => realpath(each)));
    return { path: real, shared: shared.map((name, at) => ({ name, path: rest[at] ?? join(real, name) })) };
  };
  try {
    return await find().catch(async () => {
      for (const each of wanted) await (await requireFolder(each)).folder[Symbol.asyncDispose]();
      return find();
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Claude Code was not started: its conversations cannot be kept in ${path} (${why}). Make that folder yours and writable, or set CLAUDE_CONFIG_DIR to another one.`;
    throw new ToolyardError('process_failed', message, { cause });
  }
}

function toRefusal({ file, key, problem, isManaged }: OutsideSetting, canHide: boolean): ToolyardError {
  const what = key ? `${file} sets ${key}, which could act past Toolyard's checks.` : `${file} ${problem}.`;
  const hide = 'set claude.trustManagedSettings to false in config.yaml and restart, which hides the file';
  const way = canHide && isManaged ? `Remove it there, or ${hide}.` : `Remove it there. ${hiddenElsewhere}`;
  return new ToolyardError('invalid_config', `Claude Code was not started: ${what} ${way}`);
}

const hiddenElsewhere = 'Where bubblewrap works, Claude Code does not see this file: run `toolyard doctor`.';
