// One running CLI, hot between turns: messages go in, everything it says goes to whoever listens. It never restarts.
import type { Options, Query } from '@anthropic-ai/claude-agent-sdk';
import type { ContextUsage, EngineSpec } from '@toolyard/sdk';
import type { Sdk } from '../lib/sdk.ts';
import { type CliProcess, type CliProcessDeps, createCliProcess } from './cli-process.ts';
import { createInbox, type Inbox } from './inbox.ts';

/** How long the CLI may take to leave by itself. */
const closeTimeoutMs = 1_000;
/** One that has not answered our first request by then never will. */
const answerTimeoutMs = 60_000;

export interface RunningCli {
  readonly inbox: Inbox;
  readonly query: Query;
  /** Resolves when the CLI has gone, with what it left to be said about that. */
  readonly exited: Promise<CliExit>;
  hasExited(): boolean;
  /** A turn begins; when it has ended, the workspace is left as commands found it. */
  beginTurn(): Promise<void>;
  endTurn(): Promise<void>;
  interrupt(): Promise<void>;
  contextUsage(): Promise<ContextUsage>;
  /** Ends it and everything it started. Resolves when they are gone. */
  close(): Promise<void>;
}

export interface CliExit {
  /** What the SDK threw, if it did. */
  error?: Error;
  /** The last words on stderr. */
  tail: string;
  /** No message ever came from it: it may be no Claude at all. */
  silent?: true;
}

export interface RunningCliDeps extends CliProcessDeps {
  sdk: Sdk;
}

/** Hears every message, one after the other: the next comes when this has resolved. */
export type OnCliMessage = (message: unknown) => Promise<void>;

export function startCli(
  deps: RunningCliDeps,
  spec: EngineSpec,
  options: Options,
  handle: OnCliMessage,
): RunningCli {
  const cli = createCliProcess(deps);
  // What is wrong with the bounds keeps the process from starting, and is said then.
  allowCommands(cli, spec).catch(() => {});
  const inbox = createInbox();
  const query = deps.sdk.query({
    prompt: inbox.messages,
    options: { ...options, spawnClaudeCodeProcess: cli.spawn },
  });
  return toRunningCli({ cli, inbox, query }, handle);
}

/** As far as the session says, else no farther than its directory. */
export function allowCommands(cli: CliProcess, { sessionId, cwd, commands }: EngineSpec): Promise<void> {
  return cli.allow(sessionId, commands ?? { roots: [cwd], hosts: [] });
}

export function toRunningCli(
  { cli, inbox, query }: { cli: CliProcess; inbox: Inbox; query: Query },
  handle: OnCliMessage,
): RunningCli {
  let hasExited = false;
  let silent = true;
  const onMessage: OnCliMessage = (message) => {
    silent = false;
    return handle(message);
  };
  const initTimer = setTimeout(() => void cli.kill(0).catch(() => {}), answerTimeoutMs);
  initTimer.unref();
  const onInitialized = () => clearTimeout(initTimer);
  query.initializationResult().then(onInitialized, onInitialized);
  const exited = pump(query, onMessage).then(async (error): Promise<CliExit> => {
    hasExited = true;
    inbox.end();
    await cli.kill().catch(() => {});
    const cause = cli.failure() ?? error;
    return { tail: cli.tail(), ...(cause && { error: cause }), ...(silent && { silent }) };
  });
  return {
    inbox,
    query,
    exited,
    hasExited: () => hasExited,
    beginTurn: cli.begin,
    endTurn: cli.rest,
    interrupt: async () => void (await query.interrupt()),
    contextUsage: async () => toUsage(await query.getContextUsage()),
    async close() {
      inbox.end();
      query.close();
      await cli.kill(closeTimeoutMs);
      await exited;
    },
  };
}

/** Reads to the end. Resolves with what was thrown on the way. */
async function pump(query: Query, handle: OnCliMessage): Promise<Error | undefined> {
  try {
    for await (const message of query) await handle(message);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

function toUsage(usage: Awaited<ReturnType<Query['getContextUsage']>>): ContextUsage {
  const { totalTokens, maxTokens, categories } = usage;
  return {
    usedTokens: totalTokens,
    windowTokens: maxTokens,
    parts: categories.map(({ name, tokens }) => ({ name, tokens })),
  };
}
