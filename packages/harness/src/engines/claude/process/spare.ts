// One CLI that waits, started before anybody needs it, for the next session with the same tools. It is a luxury: what
// goes wrong with it is nobody's loss, and without it a session starts a process of its own.
import { randomUUID } from 'node:crypto';
import { freemem } from 'node:os';
import { join } from 'node:path';
import type { Options, SpareProcess } from '@anthropic-ai/claude-agent-sdk';
import type { OpenShell, SpawnProcess } from '@toolyard/sdk';
import { requireFolder } from '../../../untrusted-files/untrusted-files.ts';
import type { Sdk } from '../lib/sdk.ts';
import { toConfigFolder } from '../transcripts/transcript-file.ts';
import { type CliProcess, createCliProcess } from './cli-process.ts';
import type { ProcessSetup } from './process-setup.ts';

/** Below this much free memory there is no spare. */
const enoughMemory = 1024 * 1024 * 1024;
/** A session that just started has the machine to itself for a moment. */
const refillAfterMs = 1_000;
/** Sessions may be waiting for it. */
const startTimeoutMs = 20_000;

export interface SpareDeps {
  loadSdk(): Promise<Sdk>;
  spawn: SpawnProcess;
  openShell: OpenShell;
  freeMemory?: () => number;
}

export interface Parked {
  setup: ProcessSetup;
  cli: CliProcess;
  process: SpareProcess;
}

export function createSpares({ loadSdk, spawn, openShell, freeMemory = freemem }: SpareDeps) {
  let waiting: { setup: ProcessSetup; cli: CliProcess; ready: Promise<Parked | undefined> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The last wish: an earlier one that is still being fulfilled gives way. */
  let latestRequest = {};
  let closed = false;
  const clearing = new Set<Promise<void>>();

  /** One that dies, or is too old to wait, is no spare. */
  async function park(setup: ProcessSetup, cli: CliProcess): Promise<Parked | undefined> {
    const onExit = () => {
      if (waiting?.setup === setup) waiting = undefined;
    };
    let folder: SpareFolder | undefined;
    try {
      folder = await makeFolder(setup.options);
      const options = { ...setup.options, cwd: folder.path, spawnClaudeCodeProcess: cli.spawn };
      const process = await (await loadSdk()).prewarm({ options, initializeTimeoutMs: startTimeoutMs });
      process.exited.then(onExit, onExit);
      clearAfter(process, folder);
      return { setup, cli, process };
    } catch {
      onExit();
      await cli.kill(0).catch(() => {});
      await folder?.remove();
      return undefined;
    }
  }

  /** Whoever claims it works elsewhere. */
  function clearAfter({ claimed, exited }: SpareProcess, folder: SpareFolder): void {
    const left = Promise.race([claimed.catch(() => exited), exited]);
    const cleared = left
      .catch(() => {})
      .then(() => folder.remove())
      .finally(() => clearing.delete(cleared));
    clearing.add(cleared);
  }

  async function discard(): Promise<void> {
    const discarded = waiting;
    waiting = undefined;
    // Killed twice: one that is still starting need not come to its end, but may not have a process yet.
    await discarded?.cli.kill(0).catch(() => {});
    const parked = await discarded?.ready;
    await parked?.cli.kill(0).catch(() => {});
    await parked?.process[Symbol.asyncDispose]();
  }

  async function replace(mine: object, createSetup: () => Promise<ProcessSetup>): Promise<void> {
    const setup = await createSetup().catch(() => undefined);
    if (!setup || mine !== latestRequest || waiting?.setup.key === setup.key || freeMemory() < enoughMemory)
      return;
    await discard();
    if (mine !== latestRequest) return;
    const cli = createCliProcess({ spawn, openShell, view: setup.view });
    waiting = { setup, cli, ready: park(setup, cli) };
  }

  return {
    /** The one that waits, if it fits. It is the caller's from then on. */
    async take(key: string): Promise<Parked | undefined> {
      if (waiting?.setup.key !== key) return undefined;
      const { ready } = waiting;
      waiting = undefined;
      return ready;
    },
    /** Soon there will be one that fits, unless there is, or memory is short. */
    refill(createSetup: () => Promise<ProcessSetup>, afterMs = refillAfterMs): void {
      if (closed) return;
      clearTimeout(timer);
      const mine = {};
      latestRequest = mine;
      timer = setTimeout(() => void replace(mine, createSetup), afterMs);
      timer.unref();
    },
    /** Ends the one that waits. There will be no other. */
    async close(): Promise<void> {
      closed = true;
      latestRequest = {};
      clearTimeout(timer);
      await discard();
      await Promise.all(clearing);
    },
  };
}

/** Where a spare waits: a place of its own, where nothing is read from. Agents can write there, too. */
interface SpareFolder {
  path: string;
  /** Never rejects. */
  remove(): Promise<void>;
}

async function makeFolder({ env }: Options): Promise<SpareFolder> {
  const spares = await requireFolder(join(toConfigFolder(env ?? {}), 'spares'));
  const name = `spare-${randomUUID()}`;
  await (await spares.folder.requireFolder(name))[Symbol.asyncDispose]();
  return {
    path: join(spares.path, name),
    async remove() {
      await spares.folder.removeTree(name).catch(() => {});
      await spares.folder[Symbol.asyncDispose]();
    },
  };
}

export type Spares = ReturnType<typeof createSpares>;
