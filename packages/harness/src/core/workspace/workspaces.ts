// Where a session works: its directory, checked, and the workspace around it.
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Config, type Session, ToolyardError } from '@toolyard/sdk';
import { isInside } from '../lib/is-inside.ts';
import type { Logger } from '../lib/ports.ts';
import { createIsOwn, inspectMarkers } from './markers.ts';

/** The directory by its real name: what a link leads to, it can lead elsewhere from tomorrow. It must be there. */
export function requireDirectory(cwd: string): string {
  if (!isAbsolute(cwd)) throw refuse(cwd, 'is not an absolute path.');
  if (!isDirectory(cwd)) throw refuse(cwd, 'is not a directory. Create it or name another.');
  return realpathSync.native(cwd);
}

function refuse(cwd: string, why: string): ToolyardError {
  return new ToolyardError('invalid_request', `cwd: ${JSON.stringify(cwd)} ${why}`);
}

export interface DirectoryBounds {
  /** TOOLYARD_HOME, where no agent works. */
  home: string;
  /** The person's home directory. */
  userHome: string;
  /** The person's own setting, never a workspace's. */
  workspace: Pick<Config['workspace'], 'security' | 'roots'>;
}

/** What belongs to the system, with all below it, but for what people put there. */
const systemFolders = [
  ...['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/proc', '/run', '/sbin'],
  ...['/sys', '/usr', '/var/log', '/var/run', '/var/spool', '/Library', '/System', '/private/etc'],
];
const personsFolders = ['/usr/src', '/usr/local/src', '/dev/shm', '/run/media', '/run/user'];

/** Below the person's home directory: keys, and what decides over agents. Sandboxed processes do not see them. */
const secretFolders = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.config/gcloud', '.kube', '.docker'],
  ...['.claude', '.codex', '.cursor', '.gemini'],
];

/** The same, where an agent is to work: not in the home of Toolyard, and elsewhere only where nothing else is at stake. */
export function requireWorkDirectory(cwd: string, bounds: DirectoryBounds): string {
  const directory = requireDirectory(cwd);
  if (isInOneOf(directory, [bounds.home]))
    throw refuse(cwd, 'is in the home of Toolyard. Use another directory.');
  const problem = isAllowed(directory, bounds) ? undefined : findProblem(directory, toReal(bounds.userHome));
  if (problem) throw refuse(cwd, `${problem}. Use another directory, or ${toWayOn(directory)}`);
  return directory;
}

function toWayOn(directory: string): string {
  return `allow this one: add ${JSON.stringify(directory)} to \`workspace.roots\` in config.yaml and restart.`;
}

function isAllowed(directory: string, { workspace: { security, roots } }: DirectoryBounds): boolean {
  return security === 'full-control' || isInOneOf(directory, roots);
}

function findProblem(directory: string, userHome: string): string | undefined {
  const isIn = (folder: string) => isInside(directory, folder);
  if (
    ['/', '/home', '/Users'].includes(directory) ||
    (systemFolders.some(isIn) && !personsFolders.some(isIn))
  )
    return 'belongs to the system';
  const secret = secretFolders.find((name) => isIn(join(userHome, name)));
  return secret && `is in ~/${secret}, with keys or settings of your programs`;
}

/**
 * Why no command runs in this workspace, if so: it is the person's home directory or around it, and a command there could
 * change whatever their programs run next. Named in `workspace.roots`, it is what they want.
 */
export function whyNoCommands(
  workspace: string,
  { userHome, workspace: own }: DirectoryBounds,
): string | undefined {
  if (!isInside(toReal(userHome), workspace) || isInOneOf(workspace, own.roots)) return undefined;
  const what = toReal(userHome) === workspace ? 'is your home directory' : 'contains your home directory';
  return `commands do not run here: ${workspace} ${what}. Work in a folder of its own, or ${toWayOn(workspace)}`;
}

/** At the start: the directory of sessions that name none. */
export function warnOfRefused(defaultCwd: string, bounds: DirectoryBounds, logger: Logger): void {
  try {
    requireWorkDirectory(defaultCwd, bounds);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : thrown;
    logger.warn('sessions must name a directory, because the default one is refused', { reason });
  }
}

/**
 * Of a session that was made a while ago, as its turn begins: the bounds may be others now, and an agent may have put a
 * link in its place. A directory that is gone is for the engine to miss, but of an agent: its worktree went with its end.
 */
export function requireSessionDirectory(
  { cwd, workspace, agentId }: Pick<Session, 'cwd' | 'workspace' | 'agentId'>,
  bounds: DirectoryBounds,
): void {
  if (!isDirectory(cwd)) {
    if (!agentId) return;
    const message = `The directory of this agent no longer exists: ${cwd}. Draft another agent to continue.`;
    throw new ToolyardError('invalid_request', message);
  }
  const directory = requireWorkDirectory(cwd, bounds);
  // Both were stored by their real names.
  if (isInside(directory, workspace) || isAllowed(directory, bounds)) return;
  const leads = `leads to ${JSON.stringify(directory)} now, outside the workspace ${JSON.stringify(workspace)}`;
  throw refuse(cwd, `${leads}. Remove the link, or ${toWayOn(directory)}`);
}

/** Is a directory, by its real name, one of these folders or below one, wherever links lead? A relative one is none. */
export function isInOneOf(directory: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isAbsolute(folder) && isInside(directory, toReal(folder)));
}

/** Without links, as far as it is there. */
export function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, a name too long, a circle of links: whatever it is, nobody can work in it.
    return false;
  }
}

export interface FoundWorkspace {
  workspace: string;
  /** Sentences on markers on the way to it that do not count. */
  ignored: string[];
}

/**
 * The nearest ancestor with a `toolyard.yaml` or a `.git` of the person's own, else the directory itself. By its real
 * name; never the person's home directory. `within` is the last ancestor that is looked at.
 */
export function inspectWorkspace(cwd: string, within?: string): FoundWorkspace {
  const directory = toReal(cwd);
  const isOwn = createIsOwn(directory);
  const ends = [toReal(homedir()), within && dirname(toReal(within))];
  const ignored: string[][] = [];
  for (
    let folder = directory;
    !ends.includes(folder) && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    const marked = inspectMarkers(folder, isOwn);
    if (marked.isMarked) return { workspace: folder, ignored: ignored.flat() };
    ignored.push(marked.ignored);
  }
  // It needs no marker itself.
  return { workspace: directory, ignored: ignored.slice(1).flat() };
}

export function findWorkspace(cwd: string): string {
  return inspectWorkspace(cwd).workspace;
}

/** Of an agent that another one drafts: never wider than that one's, whatever marks the folders above it by now. */
export function findChildWorkspace(
  cwd: string,
  parent: { workspace: string; roots: readonly string[] },
): string {
  const around = [parent.workspace, ...parent.roots].find((folder) => isInOneOf(toReal(cwd), [folder]));
  return inspectWorkspace(cwd, around ?? cwd).workspace;
}
