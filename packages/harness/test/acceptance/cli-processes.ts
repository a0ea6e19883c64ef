// The CLI processes of one test, found by the configuration folder that they were given. Linux only, as is all that needs to know them.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { claudeExecutable } from './terminal-claude.ts';

/** Process ids of the real CLI that Toolyard has started for a person with this home. */
export async function cliProcesses(userHome: string): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ((await isOurs(name, userHome)) ? Number(name) : [])),
  );
  return found.flat();
}

async function isOurs(name: string, userHome: string): Promise<boolean> {
  // A process may be gone before it is looked at.
  const program = await readlink(`/proc/${name}/exe`).catch(() => '');
  if (program !== claudeExecutable) return false;
  const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').includes(`CLAUDE_CONFIG_DIR=${userHome}/.claude`);
}
