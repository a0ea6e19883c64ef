// Finds which process listens on a port, where the platform shows it (Linux). Best effort: unknown is an answer.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const listening = '0A';

export function findPortOwner(port: number): { pid: number; command: string } | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => inodesOf(table, port)));
  if (inodes.size === 0) return undefined;
  const pid = attempt(() => readdirSync('/proc'))
    ?.filter((name) => /^\d+$/.test(name))
    .find((name) => holdsSocket(name, inodes));
  if (!pid) return undefined;
  // Not `comm`, which for Node is the name of a thread.
  const program = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]);
  const name = (program && basename(program)) || 'another program';
  // A process may call itself anything, and this is printed to a terminal.
  return { pid: Number(pid), command: name.replace(/[^\x20-\x7e]/g, '?') };
}

function inodesOf(table: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = attempt(() => readFileSync(table, 'utf8').split('\n').slice(1)) ?? [];
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, , state]) => state === listening && local?.endsWith(`:${hexPort}`))
    .flatMap((fields) => fields[9] ?? []);
}

function holdsSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return (attempt(() => readdirSync(folder)) ?? []).some((fd) => {
    const inode = attempt(() => readlinkSync(`${folder}/${fd}`))?.match(/^socket:\[(\d+)\]$/)?.[1];
    return inode !== undefined && inodes.has(inode);
  });
}

/** Processes come and go while we look, and some are not ours to see. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
