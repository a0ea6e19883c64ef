// The sources of an earlier commit, for fixtures that the code of that time makes. Needs a clone with its whole history.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The sources of a commit, with today's modules but its own packages. */
export function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x'], { cwd: folder, input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@toolyard'), { recursive: true });
  const installed = readdirSync(join(root, 'node_modules')).filter((name) => !/^(\.|@?toolyard$)/.test(name));
  for (const name of installed) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  symlinkSync(join(folder, 'packages/sdk'), join(modules, '@toolyard/sdk'));
}
