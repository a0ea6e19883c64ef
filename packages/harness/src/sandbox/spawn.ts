// SpawnProcess itself: checks what is asked for, starts it the way this platform can, and keeps it until it is gone.
import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type OwnedProcess, type ProcessSpec, type SpawnProcess, ToolyardError } from '@toolyard/sdk';
import { isInside } from '../core/lib/is-inside.ts';
import type { Logger } from '../core/lib/ports.ts';
import { defaultPath, toEnvironment } from './environment.ts';
import { findExecutable } from './executable.ts';
import { startInGroup } from './group.ts';
import { startBriefly, startInNamespace } from './namespace.ts';
import { ownProcess } from './owned-process.ts';
import type { SandboxReport } from './probe.ts';
import type { ProcessTable } from './process-table.ts';
import type { Started } from './process-tree.ts';
import type { ProcessRecords } from './records.ts';
import { toReason, toSpawnError } from './spawn-error.ts';

export interface SpawnDeps {
  /** The home's real path: hidden from every process that gets a namespace. */
  home: string;
  /** The server's environment; a few names of it are passed on. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
  probe(): Promise<SandboxReport>;
  /** A person has chosen `full-control`. */
  mayRunUnconfined(): boolean;
  records: ProcessRecords;
  table: ProcessTable;
  /** Every process that is owned at the moment. */
  running: Set<OwnedProcess>;
}

const unconfined = 'it would not be confined';
const wayOn =
  'Mend that and send the message again; `doctor` shows whether it works. Or set `workspace.security: full-control` in config.yaml and restart, which lets agents reach the whole computer.';

export function createSpawnProcess(deps: SpawnDeps): SpawnProcess {
  return async (spec) => {
    spec.signal?.throwIfAborted();
    const file = await check(spec, deps);
    const report = await deps.probe();
    if (report.kind === 'failed' && !deps.mayRunUnconfined())
      throw toSpawnError(spec.command, `${unconfined}: ${report.reason}. ${wayOn}`);
    spec.signal?.throwIfAborted();
    const id = `prc_${randomBytes(12).toString('hex')}`;
    const { purpose } = spec;
    try {
      if (!spec.isBrief) deps.records.add({ id, purpose, command: file });
      const owned = keep(deps, spec, id, await start(deps, { spec, file, id, report }));
      deps.logger.info('process started', { purpose, command: file, pid: owned.pid, id });
      return owned;
    } catch (thrown) {
      deps.records.remove(id);
      spec.signal?.throwIfAborted();
      if (thrown instanceof ToolyardError) throw thrown;
      throw toSpawnError(spec.command, toReason(thrown), thrown);
    }
  };
}

/** The file to run. */
async function check(spec: ProcessSpec, { home, env }: SpawnDeps): Promise<string> {
  const { command, cwd } = spec;
  const refuse = (reason: string) => toSpawnError(command, reason);
  if ([command, cwd, ...spec.args, ...Object.entries(spec.env).flat()].some((text) => text.includes('\0')))
    throw refuse('a NUL character is not allowed in a command, its arguments or its environment.');
  if (Object.keys(spec.env).some((name) => name === '' || name.includes('=')))
    throw refuse('a name in its environment is empty or contains "=".');
  const found = isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined;
  if (!found?.isDirectory()) throw refuse(`its directory ${cwd} does not exist, or is not an absolute path.`);
  if (isInside(await realpath(cwd), home))
    throw refuse(`its directory ${cwd} is inside the home, which processes cannot access.`);
  const executable = await findExecutable(command, toEnvironment(env, spec).PATH ?? defaultPath, cwd);
  if ('missing' in executable) throw refuse(executable.missing);
  return executable.path;
}

interface StartOptions {
  spec: ProcessSpec;
  file: string;
  id: string;
  report: SandboxReport;
}

async function start(deps: SpawnDeps, { spec, file, id, report }: StartOptions): Promise<Started> {
  const { cwd, args, stdio, signal } = spec;
  const env = toEnvironment(deps.env, spec);
  const options = {
    file,
    args,
    stdio,
    mark: id,
    signal,
    onLaunched: (pid: number) => identify(deps, id, pid),
  };
  if (report.kind !== 'namespace') return startInGroup({ ...options, cwd, env }, deps.table);
  const hidden = [deps.home, ...(await toRealFolders(spec.view?.hidden ?? []))];
  const writable = spec.view?.writable && (await toRealFolders(spec.view.writable));
  const isRoot = process.getuid?.() === 0;
  const view = { hidden, shown: spec.view?.shown ?? [], writable, cwd, env, isRoot };
  if (spec.isBrief) return startBriefly({ ...options, bubblewrap: report.bubblewrap, view });
  return startInNamespace({ ...options, bubblewrap: report.bubblewrap, view }, deps.table);
}

/** Without those that are not there: hiding one as root would make it. */
async function toRealFolders(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return real.filter((path) => path !== undefined);
}

function identify({ records, table, logger }: SpawnDeps, id: string, pid: number): void {
  table
    .find(pid)
    .then((row) => row && records.identify(id, { pid, startedAt: row.startedAt }))
    .catch((cause) => logger.warn('could not record a process for the next start', { pid, cause }));
}

function keep(deps: SpawnDeps, { signal, purpose }: ProcessSpec, id: string, started: Started): OwnedProcess {
  const onAbort = () => void owned.kill().catch((cause) => onLeftovers(cause));
  const onLeftovers = (cause: unknown) =>
    deps.logger.error('could not end a process', { purpose, id, cause });
  const owned: OwnedProcess = ownProcess(started, {
    onLeftovers,
    onExited() {
      signal?.removeEventListener('abort', onAbort);
      deps.running.delete(owned);
      deps.records.remove(id);
    },
  });
  deps.running.add(owned);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return owned;
}
