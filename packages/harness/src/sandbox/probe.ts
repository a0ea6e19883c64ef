// Finds out, by doing it once, whether processes can be owned through bubblewrap here. What doctor says rests on this.
import { mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPath } from './environment.ts';
import { findExecutable } from './executable.ts';
import { startInNamespace } from './namespace.ts';
import { ownProcess } from './owned-process.ts';
import { readText } from './pipes.ts';
import { createProcessTable } from './process-table.ts';
import { toReason } from './spawn-error.ts';

export type SandboxReport =
  /** Every process lives in its own PID namespace, dies with the server and cannot see the home. */
  | { kind: 'namespace'; bubblewrap: string }
  /** Processes are ended as groups, and leftovers at the next start. */
  | { kind: 'group'; reason: string };

const reports = new Map<string, Promise<SandboxReport>>();

/** Runs bubblewrap the first time; afterwards remembers. Never rejects. */
export function probeSandbox(env: NodeJS.ProcessEnv = process.env): Promise<SandboxReport> {
  const path = env.PATH || defaultPath;
  const report = reports.get(path) ?? probe(path);
  reports.set(path, report);
  return report;
}

async function probe(path: string): Promise<SandboxReport> {
  if (process.platform !== 'linux') return { kind: 'group', reason: 'only Linux has process namespaces' };
  const bubblewrap = await findExecutable('bwrap', path, '/');
  if ('missing' in bubblewrap) return { kind: 'group', reason: 'bubblewrap (bwrap) is not installed' };
  try {
    const problem = await tryNamespace(bubblewrap.path);
    if (problem === undefined) return { kind: 'namespace', bubblewrap: bubblewrap.path };
    return { kind: 'group', reason: problem };
  } catch (thrown) {
    return { kind: 'group', reason: toReason(thrown).replace(/\.+$/, '') };
  }
}

/** Looks at itself from inside: what lies in a hidden folder must be gone, and the namespace another than ours. */
async function tryNamespace(bubblewrap: string): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-probe-')));
  try {
    await writeFile(join(folder, 'seen'), '');
    const options = {
      bubblewrap,
      file: '/bin/sh',
      args: ['-c', 'ls "$0"/seen 2>/dev/null; readlink /proc/self/ns/pid', folder],
      view: { hidden: [folder], cwd: '/', env: { PATH: defaultPath }, isRoot: process.getuid?.() === 0 },
      mark: 'probe',
    };
    const started = await startInNamespace(options, createProcessTable());
    const owned = ownProcess(started, { onExited: () => {}, onLeftovers: () => {} });
    await owned.stdin.end();
    const [output, { code }] = await Promise.all([readText(owned.stdout, 1_000), owned.exited]);
    return judge(output.trim(), code, await readlink('/proc/self/ns/pid'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function judge(output: string, code: number | null, own: string): string | undefined {
  if (output.includes('seen')) return 'bubblewrap ran but did not hide a folder';
  if (output === own) return 'bubblewrap ran but made no namespace';
  return code === 0 && output.startsWith('pid:[') ? undefined : `bubblewrap ran and exited with code ${code}`;
}
