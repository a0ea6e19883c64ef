// Finds out, by doing it once, whether processes can be owned through bubblewrap here. What doctor says rests on this.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { privateFolder } from '@toolyard/sdk';
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
  /** This computer has nothing to confine them with: processes are ended as groups, and leftovers at the next start. */
  | { kind: 'group'; reason: string }
  /** There is bubblewrap, and it did not do what it should. It may the next time. */
  | { kind: 'failed'; reason: string };

const reports = new Map<string, Promise<SandboxReport>>();

/** Looked into before PATH, which often begins with folders of a project: what lies there may be an agent's. */
const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** Runs bubblewrap until it was seen to work; afterwards remembers. Never rejects. */
export async function probeSandbox(
  env: NodeJS.ProcessEnv = process.env,
  folders: readonly string[] = systemFolders,
): Promise<SandboxReport> {
  const path = [...folders, env.PATH || defaultPath].join(delimiter);
  const asked = reports.get(path) ?? probe(path);
  reports.set(path, asked);
  const report = await asked;
  if (report.kind !== 'namespace' && reports.get(path) === asked) reports.delete(path);
  return report;
}

/** Why commands are never confined on this computer. What may come right is `probeSandbox`'s to find. */
export function whyUnconfined(env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'linux') return 'commands can be confined on Linux only';
  const folders = [...systemFolders, ...(env.PATH || defaultPath).split(delimiter)];
  return folders.some((folder) => existsSync(join(folder, 'bwrap')))
    ? undefined
    : 'commands cannot be confined without bubblewrap, which is not installed';
}

async function probe(path: string): Promise<SandboxReport> {
  if (process.platform !== 'linux') return { kind: 'group', reason: 'only Linux has process namespaces' };
  const bubblewrap = await findExecutable('bwrap', path, '/');
  if ('missing' in bubblewrap) return { kind: 'group', reason: 'bubblewrap (bwrap) is not installed' };
  try {
    const problem = await tryNamespace(bubblewrap.path);
    if (problem === undefined) return { kind: 'namespace', bubblewrap: bubblewrap.path };
    return { kind: 'failed', reason: problem };
  } catch (thrown) {
    return { kind: 'failed', reason: toReason(thrown).replace(/\.+$/, '') };
  }
}

/** On every Linux, and never empty. Nothing is written: a full disk proves nothing. */
const hiddenFolder = '/etc';

/** Looks at itself from inside: what lies in a hidden folder must be gone, and the namespace another than ours. */
async function tryNamespace(bubblewrap: string): Promise<string | undefined> {
  const options = {
    bubblewrap,
    file: '/bin/sh',
    args: ['-c', 'ls -A "$0"; readlink /proc/self/ns/pid', hiddenFolder],
    view: { hidden: [hiddenFolder], cwd: '/', env: { PATH: defaultPath }, isRoot: process.getuid?.() === 0 },
    mark: `probe_${randomUUID()}`,
  };
  const started = await startInNamespace(options, createProcessTable());
  const owned = ownProcess(started, { onExited: () => {}, onLeftovers: () => {} });
  await owned.stdin.end();
  const [output, { code }] = await Promise.all([readText(owned.stdout, 10_000), owned.exited]);
  return judge(output.trim().split('\n'), code, await readlink('/proc/self/ns/pid'));
}

/** Each process has a folder of its own in what is hidden. */
function judge([first, ...rest]: string[], code: number | null, own: string): string | undefined {
  if (code !== 0) return `bubblewrap ran and exited with code ${code}`;
  if (first !== privateFolder || rest.length !== 1) return 'bubblewrap ran but did not hide a folder';
  return rest[0] !== own && rest[0]?.startsWith('pid:[') ? undefined : 'bubblewrap ran but made no namespace';
}
