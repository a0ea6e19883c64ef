// Which processes run on this machine: read from /proc on Linux, asked of ps elsewhere. Looks, never touches.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessRow {
  pid: number;
  parentPid: number;
  groupId: number;
  /** Tells two processes apart that had the same number one after the other. Only to be compared. */
  startedAt: string;
  /** It waits for something, and has no work to do. */
  isAsleep: boolean;
}

export interface ProcessTable {
  /** Every process that runs; one that has ended and waits to be noticed does not. */
  list(): Promise<ProcessRow[]>;
  find(pid: number): Promise<ProcessRow | undefined>;
  childrenOf(pid: number): Promise<ProcessRow[]>;
  /** Whether a process was started with this text in its environment. Absent where the platform does not tell. */
  hasInEnvironment?(pid: number, text: string): Promise<boolean>;
}

export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === 'linux' ? createProcTable() : createPsTable();
}

function createProcTable(): ProcessTable {
  // The start time counts from boot, so it is only unique together with the boot.
  const boot = readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (id) => id.trim(),
    () => '',
  );
  const find = async (pid: number) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    return stat === undefined ? undefined : parseStat(stat, await boot);
  };
  const findAll = async (pids: readonly number[]) => {
    const rows = await Promise.all(pids.map(find));
    return rows.filter((row) => row !== undefined);
  };
  const list = async () => findAll(await listPids());
  return {
    find,
    list,
    async childrenOf(pid) {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => undefined);
      // Some kernels are built without that file.
      if (children === undefined) return (await list()).filter(({ parentPid }) => parentPid === pid);
      return findAll(children.trim().split(' ').filter(Boolean).map(Number));
    },
    async hasInEnvironment(pid, text) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(text);
    },
  };
}

async function listPids(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** One line of /proc/PID/stat. The name in parentheses may hold anything, spaces and parentheses too. */
export function parseStat(stat: string, boot: string): ProcessRow | undefined {
  const pid = Number.parseInt(stat, 10);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid, groupId] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  const startedAt = `${boot}:${fields[19]}`;
  return { pid, parentPid: Number(parentPid), groupId: Number(groupId), startedAt, isAsleep: state === 'S' };
}

function createPsTable(): ProcessTable {
  const run = promisify(execFile);
  const list = async () => {
    const options = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 32 * 1024 * 1024 };
    const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], options);
    return parsePs(stdout);
  };
  return {
    list,
    find: async (pid) => (await list()).find((row) => row.pid === pid),
    childrenOf: async (pid) => (await list()).filter(({ parentPid }) => parentPid === pid),
  };
}

/** Lines such as `  501     1   501 Ss   Sat Nov 14 07:30:00 2026`. */
export function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupId, state = 'Z', startedAt] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (startedAt === undefined || state.startsWith('Z')) return [];
    const isAsleep = /^[SI]/.test(state);
    return [
      { pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), startedAt, isAsleep },
    ];
  });
}
