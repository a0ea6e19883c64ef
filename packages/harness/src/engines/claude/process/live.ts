// One running CLI, hot between turns: messages go in, everything it says goes to whoever listens. It never restarts.
import type { Options, Query } from '@anthropic-ai/claude-agent-sdk';
import type { ContextUsage, SpawnProcess } from '@toolyard/sdk';
import type { Sdk } from '../lib/sdk.ts';
import { createInbox, type Inbox } from './messages.ts';
import { type CliProcess, createCliProcess, type Tap } from './process.ts';

/** How long the CLI may take to leave by itself. */
const leaveWithinMs = 1_000;
/** One that has not answered our first request by then never will. */
const answerWithinMs = 60_000;

export interface Live {
  readonly inbox: Inbox;
  readonly query: Query;
  /** Resolves when the CLI has gone, with what it left to be said about that. */
  readonly gone: Promise<Gone>;
  isGone(): boolean;
  interrupt(): Promise<void>;
  contextUsage(): Promise<ContextUsage>;
  /** Ends it and everything it started. Resolves when they are gone. */
  close(): Promise<void>;
}

export interface Gone {
  /** What the SDK threw, if it did. */
  error?: Error;
  /** The last words on stderr. */
  tail: string;
  /** No message ever came from it: it may be no Claude at all. */
  silent?: true;
}

export interface LiveDeps {
  sdk: Sdk;
  spawn: SpawnProcess;
  tap?: Tap;
}

/** Hears every message, one after the other: the next comes when this has resolved. */
export type Listen = (message: unknown) => Promise<void>;

export function startLive(deps: LiveDeps, options: Options, listen: Listen): Live {
  const cli = createCliProcess(deps.spawn, deps.tap);
  const inbox = createInbox();
  const query = deps.sdk.query({
    prompt: inbox.messages,
    options: { ...options, spawnClaudeCodeProcess: cli.spawn },
  });
  return toLive({ cli, inbox, query }, listen);
}

export function toLive(
  { cli, inbox, query }: { cli: CliProcess; inbox: Inbox; query: Query },
  listen: Listen,
): Live {
  let isGone = false;
  let silent = true;
  const hear: Listen = (message) => {
    silent = false;
    return listen(message);
  };
  const mute = setTimeout(() => void cli.kill(0).catch(() => {}), answerWithinMs);
  mute.unref();
  const heard = () => clearTimeout(mute);
  query.initializationResult().then(heard, heard);
  const gone = pump(query, hear).then(async (error): Promise<Gone> => {
    isGone = true;
    inbox.end();
    await cli.kill().catch(() => {});
    const cause = cli.failure() ?? error;
    return { tail: cli.tail(), ...(cause && { error: cause }), ...(silent && { silent }) };
  });
  return {
    inbox,
    query,
    gone,
    isGone: () => isGone,
    interrupt: async () => void (await query.interrupt()),
    contextUsage: async () => toUsage(await query.getContextUsage()),
    async close() {
      inbox.end();
      query.close();
      await cli.kill(leaveWithinMs);
      await gone;
    },
  };
}

/** Reads to the end. Resolves with what was thrown on the way. */
async function pump(query: Query, listen: Listen): Promise<Error | undefined> {
  try {
    for await (const message of query) await listen(message);
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
