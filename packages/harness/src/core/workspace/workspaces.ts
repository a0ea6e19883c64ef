// Where a session works: its directory, checked, and the workspace around it.
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';

/** The session's directory without `.` and `..`, which must be there. */
export function requireDirectory(cwd: string): string {
  const refuse = (why: string) =>
    new ToolyardError('invalid_request', `cwd: ${JSON.stringify(cwd)} is not ${why}`);
  if (!isAbsolute(cwd)) throw refuse('an absolute path.');
  if (!isDirectory(cwd)) throw refuse('a directory. Create it or name another.');
  return resolve(cwd);
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
