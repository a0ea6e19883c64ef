// Starts a process in a PID namespace of its own. When its first process ends, the kernel ends every other one in it.
import type { Duplex } from 'node:stream';
import { type ProcessExit, type ProcessSpec, pause, untilAborted } from '@toolyard/sdk';
import {
  descriptors,
  goAhead,
  type NamespaceView,
  toArguments,
  toBriefArguments,
  toOptions,
} from './bubblewrap.ts';
import { defaultPath } from './environment.ts';
import { type Launched, launch } from './launch.ts';
import { readText } from './pipes.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import {
  addDescendants,
  endAll,
  findTree,
  markName,
  type ProcessTree,
  type Started,
  sendSignal,
  toStillRunningError,
} from './process-tree.ts';
import { toSpawnError } from './spawn-error.ts';

const startTimeoutMs = 10_000;
const exitTimeoutMs = 5_000;
const closeTimeoutMs = 1_000;

export interface NamespaceOptions {
  bubblewrap: string;
  file: string;
  args: readonly string[];
  view: NamespaceView;
  stdio?: ProcessSpec['stdio'];
  /** Marks bubblewrap's own processes; the command does not get to see it. */
  mark: string;
  signal?: AbortSignal | undefined;
  /** The number is known; the command does not run yet. */
  onLaunched?: (pid: number) => void;
}

export async function startInNamespace(options: NamespaceOptions, table: ProcessTable): Promise<Started> {
  const launched = await launch({
    file: options.bubblewrap,
    args: toArguments(options.file, options.args),
    cwd: '/',
    env: { PATH: defaultPath, [markName]: options.mark },
    stdio: options.stdio,
    channels: 2,
  });
  options.onLaunched?.(launched.pid);
  const [gate, bubblewrapOptions] = Object.values(descriptors).map((at) => launched.channels[at - 3]);
  if (!gate || !bubblewrapOptions) throw toSpawnError(options.file, 'the machine gave no pipes.');
  bubblewrapOptions.end(`${toOptions(options.view).join('\0')}\0`);
  try {
    await untilReady(options, launched, gate);
    const init = await untilBound(options, launched, table);
    options.signal?.throwIfAborted();
    gate.end(goAhead);
    return toStarted(launched, init, table);
  } catch (thrown) {
    // A closed gate ends all that is behind it. Bubblewrap does not wait for its other half, so look for both.
    gate.destroy();
    await untilExit(launched);
    await endAll(() => findTree(table, { id: options.mark }));
    throw thrown;
  }
}

/** Without the gate: what is killed in its first moment may leave the command running to its own end. */
export async function startBriefly(options: NamespaceOptions): Promise<Started> {
  const launched = await launch({
    file: options.bubblewrap,
    args: toBriefArguments(options.file, options.args),
    cwd: '/',
    env: { PATH: defaultPath, [markName]: options.mark },
    stdio: options.stdio,
    channels: 2,
  });
  launched.channels[descriptors.options - 3]?.end(`${toOptions(options.view).join('\0')}\0`);
  launched.channels[descriptors.gate - 3]?.end();
  const end = async () => {
    launched.signal('SIGKILL');
    await launched.exit;
  };
  return { launched, tree: { ask: end, end }, toExit: (exit) => exit };
}

/** Waits for the command at the gate. Rejects when bubblewrap gives up or hangs, or the caller has given up. */
async function untilReady(options: NamespaceOptions, launched: Launched, gate: Duplex): Promise<void> {
  const ready = new Promise<'ready'>((resolve) => gate.once('data', () => resolve('ready')));
  const late = AbortSignal.timeout(startTimeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  const first = await untilAborted(Promise.race([ready, launched.exit]), signal);
  options.signal?.throwIfAborted();
  if (first === undefined) throw toSpawnError(options.file, `no answer for ${startTimeoutMs / 1000} s.`);
  if (first === 'ready') return;
  const words = await Promise.race([readText(launched.stderr, 2_000), pause(500)]);
  throw toSpawnError(options.file, words?.trim() || `bubblewrap exited with code ${first.code}.`);
}

/**
 * The namespace's first process, once it is bound to bubblewrap outside and that to the server. It binds itself after
 * it has made the process at the gate, and then sleeps: on a busy machine the gate may be faster.
 */
async function untilBound(
  { file }: NamespaceOptions,
  { pid }: Launched,
  table: ProcessTable,
): Promise<ProcessRow> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const [init] = await table.childrenOf(pid);
    if (!init) break;
    if (init.isAsleep) return init;
    await pause(1);
  }
  throw toSpawnError(file, 'its namespace ended or did not become ready.');
}

/** A process that loses its parent gets `init` as the new one: its descendants are all there are in the namespace. */
function toStarted(launched: Launched, init: ProcessRow, table: ProcessTable): Started {
  let asked = false;
  const isInit = (row?: ProcessRow) => row?.pid === init.pid && row.startedAt === init.startedAt;
  const tree: ProcessTree = {
    async ask() {
      asked = true;
      const rows = await table.list();
      const found = new Set(rows.filter(isInit).map(({ pid }) => pid));
      addDescendants(found, rows);
      for (const pid of found) if (pid !== init.pid) sendSignal(pid, 'SIGTERM');
    },
    async end() {
      asked = true;
      const deadline = performance.now() + exitTimeoutMs;
      while (isInit(await table.find(init.pid))) {
        if (performance.now() > deadline) throw toStillRunningError([init.pid]);
        sendSignal(init.pid, 'SIGKILL');
        await pause(5);
      }
      // What is left is bubblewrap outside the namespace, on its way out.
      await untilExit(launched);
      launched.signal('SIGKILL');
    },
  };
  return { launched, tree, toExit: (exit) => (asked ? toSignalled(exit) : exit) };
}

/** Waits for bubblewrap, which is on its way out; a timer left behind would hold the server up. */
async function untilExit({ exit }: Launched): Promise<void> {
  const over = new AbortController();
  await Promise.race([exit, pause(closeTimeoutMs, over.signal)]);
  over.abort();
}

/** Bubblewrap says 128 + n for a signal, as shells do. Once we have sent one, it is what it looks like. */
function toSignalled(exit: ProcessExit): ProcessExit {
  if (exit.code === 128 + 15) return { code: null, signal: 'SIGTERM' };
  if (exit.code === 128 + 9) return { code: null, signal: 'SIGKILL' };
  return exit;
}
