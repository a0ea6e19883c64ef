// Where a session works: its directory, checked, and the workspace around it.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Config, ToolyardError } from '@toolyard/sdk';

/** The session's directory without `.` and `..`, which must be there. */
export function requireDirectory(cwd: string): string {
  const refuse = (why: string) =>
    new ToolyardError('invalid_request', `cwd: ${JSON.stringify(cwd)} is not ${why}`);
  if (!isAbsolute(cwd)) throw refuse('an absolute path.');
  if (!isDirectory(cwd)) throw refuse('a directory. Create it or name another.');
  return resolve(cwd);
}

export interface DirectoryBounds {
  /** TOOLYARD_HOME, where no agent works. */
  home: string;
  /** The person's own setting, never a workspace's. */
  workspace: Config['workspace'];
}

/** What belongs to the system, with all below it, but for what people put there. */
const systemFolders = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/proc',
    '/run',
    '/sbin',
    '/sys',
  ],
  ...['/usr', '/var/log', '/var/run', '/var/spool', '/Library', '/System', '/private/etc'],
];
const personsFolders = ['/usr/src', '/usr/local/src', '/dev/shm', '/run/media', '/run/user'];

/** The same, where an agent is to work: by where links lead, outside of the home, and not in the midst of the system. */
export function requireWorkDirectory(cwd: string, { home, workspace }: DirectoryBounds): string {
  const directory = requireDirectory(cwd);
  const real = realpathSync.native(directory);
  const refuse = (why: string) => {
    throw new ToolyardError('invalid_request', `cwd: ${JSON.stringify(cwd)} ${why}`);
  };
  if (isInside(real, toReal(home))) refuse('is in the home of Toolyard. Use another directory.');
  const roots = workspace.roots.map(toReal);
  if (workspace.security === 'full-control' || roots.some((root) => isInside(real, root))) return directory;
  const isSystem =
    real === '/' ||
    (systemFolders.some((folder) => isInside(real, folder)) &&
      !personsFolders.some((folder) => isInside(real, folder)));
  if (isSystem)
    refuse(
      'belongs to the system. Use another directory, or allow this one: add it to `workspace.roots` in config.yaml.',
    );
  return directory;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** Without links, as far as it is there. */
function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** Of an agent that was drafted a while ago, or has ended since: its worktree went with its end. */
export function requireAgentDirectory(cwd: string): void {
  if (isDirectory(cwd)) return;
  const message = `The directory of this agent no longer exists: ${cwd}. Draft another agent to continue.`;
  throw new ToolyardError('invalid_request', message);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, a name too long, a circle of links: whatever it is, nobody can work in it.
    return false;
  }
}

/** The nearest ancestor with `toolyard.yaml` or `.git`, else the directory itself. */
export function findWorkspace(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'toolyard.yaml')) || existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
