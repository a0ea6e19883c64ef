// Where a session works: its directory, checked, and the workspace around it.
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';

/** Checks that a session's directory is there. */
export function requireDirectory(cwd: string): string {
  if (cwd.includes('\0')) throw new ToolyardError('invalid_request', 'cwd: a path cannot hold a NUL byte.');
  if (!isAbsolute(cwd)) throw new ToolyardError('invalid_request', `cwd: "${cwd}" is not an absolute path.`);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ToolyardError(
      'invalid_request',
      `cwd: "${cwd}" is not a directory. Create it or name another.`,
    );
  }
  return cwd;
}

/** The nearest ancestor with `toolyard.yaml` or `.git`, else the directory itself. */
export function findWorkspace(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'toolyard.yaml')) || existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
