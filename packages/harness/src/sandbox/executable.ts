// Finds the file a command means, before anything is started, so that a wrong name is a clear sentence.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export type Executable = { path: string } | { missing: string };

/** A name with a slash is a path as seen from `cwd`; any other is looked up in `path`. */
export async function findExecutable(command: string, path: string, cwd: string): Promise<Executable> {
  if (command === '') return { missing: 'the command is empty.' };
  if (command.includes('/')) {
    const file = resolve(cwd, command);
    const problem = await findProblem(file);
    return problem === undefined ? { path: file } : { missing: problem };
  }
  // A relative folder in PATH would mean another one in every directory.
  for (const folder of path.split(delimiter).filter((each) => isAbsolute(each))) {
    const file = join(folder, command);
    if ((await findProblem(file)) === undefined) return { path: file };
  }
  return { missing: `no such program in PATH (${path}). Install it, or use its absolute path.` };
}

async function findProblem(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return `there is no ${file}.`;
  if (!found.isFile()) return `${file} is not a file.`;
  return access(file, constants.X_OK).then(
    () => undefined,
    () => `${file} is not executable.`,
  );
}
