// Gets a CLI for a session: the spare, if it fits and nothing is to be resumed, else a process of its own.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import {
  type EngineSpec,
  type OpenShell,
  type SpawnProcess,
  type ToolServer,
  type ToolSpec,
  ToolyardError,
} from '@toolyard/sdk';
import { type Launch, toAppended, toModel, toSessionOptions } from '../gate/options.ts';
import type { Sdk } from '../lib/sdk.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Tap } from './cli-process.ts';
import { createInbox } from './inbox.ts';
import { createProcessSetup, type ProcessSetupSpec, toKey } from './process-setup.ts';
import { allowCommands, type OnCliMessage, type RunningCli, startCli, toRunningCli } from './running-cli.ts';
import type { Parked, Spares } from './spare.ts';
import type { OpenTurn } from './turn.ts';

/** A process of its own starts faster than this. */
const claimTimeoutMs = 5_000;

export interface StarterDeps {
  loadSdk(): Promise<Sdk>;
  spawn: SpawnProcess;
  openShell: OpenShell;
  launch(): Promise<Launch>;
  version: string;
  /** Absent when no spare is wanted. */
  spares?: Spares;
  /** Watches the wire of a session, if somebody wants to. */
  tapOf(sessionId: string): Tap | undefined;
}

export interface Start {
  spec: EngineSpec;
  /** The CLI's own id of the session; it has a transcript of it when `resume` is set. */
  token?: string;
  resume?: boolean;
  /** The conversation that it begins with a copy of, up to this entry. */
  fork?: { token: string; at: string };
  /** The turn under way. */
  current(): OpenTurn | undefined;
  listen: OnCliMessage;
}

export interface Started {
  cli: RunningCli;
  token: string;
}

export type Starter = ReturnType<typeof createStarter>;

export function createStarter(deps: StarterDeps) {
  const { loadSdk, launch, version, spares, tapOf } = deps;
  async function claim({ setup, cli, process }: Parked, start: Start): Promise<Started | undefined> {
    const { spec, current, listen } = start;
    const inbox = createInbox();
    try {
      const appendSystemPrompt = toAppended(spec);
      const options = { cwd: spec.cwd, model: toModel(spec.model), appendSystemPrompt };
      setup.bindTurn(current);
      await allowCommands(cli, spec);
      const running = toRunningCli(
        { cli, inbox, query: process.claim({ prompt: inbox.messages, options }) },
        listen,
      );
      const claimed = await withTimeout(claimTimeoutMs, process.claimed);
      if (!claimed) throw new ToolyardError('process_failed', 'The spare process does not answer.');
      return { cli: running, token: claimed.sessionId };
    } catch {
      process.close();
      await cli.kill(0).catch(() => {});
      return undefined;
    }
  }

  async function startOwn(start: Start, launched: Launch): Promise<Started> {
    const { spec, token = randomUUID(), current, listen } = start;
    const sdk = await loadSdk();
    const setup = await createProcessSetup(spec, launched, version);
    setup.bindTurn(current);
    const tap = tapOf(spec.sessionId);
    const options = {
      ...setup.options,
      ...toSessionOptions(spec),
      ...toBeginning(start, token),
    };
    return { cli: startCli({ ...deps, sdk, view: setup.view, tap }, spec, options, listen), token };
  }

  return {
    async start(wanted: Start): Promise<Started> {
      const tools = [...wanted.spec.tools, ...toInProcess(wanted.spec.servers ?? [])];
      const start = { ...wanted, spec: { ...wanted.spec, tools } };
      await requireDirectory(start.spec.cwd);
      const launched = await launch();
      const mayClaim = !start.token && !tapOf(start.spec.sessionId);
      const parked = mayClaim ? await spares?.take(toKey(start.spec, launched)) : undefined;
      const claimed = parked && (await claim(parked, start));
      this.expect(start.spec);
      return claimed ?? startOwn(start, launched);
    },
    /** A session with these tools may be opened soon. */
    expect(spec: ProcessSetupSpec, afterMs?: number): void {
      spares?.refill(async () => createProcessSetup(spec, await launch(), version), afterMs);
    },
  };
}

/** From the start, from where it was left, or from a copy of another. */
function toBeginning({ resume, fork }: Start, token: string): Options {
  if (resume) return { resume: token };
  if (!fork) return { sessionId: token };
  return { sessionId: token, resume: fork.token, resumeSessionAt: fork.at, forkSession: true };
}

/** An external server would answer the CLI past our gate. */
function toInProcess(servers: readonly ToolServer[]): ToolSpec[] {
  return servers.flatMap((server) => {
    if (server.type === 'in-process') return server.tools;
    const why = 'Only Toolyard connects to external servers, never the CLI.';
    throw new ToolyardError('invalid_config', `The server ${server.name} was not started. ${why}`);
  });
}

async function requireDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new ToolyardError('process_failed', `The session's directory ${cwd} no longer exists.`);
}
