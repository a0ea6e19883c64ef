// `approvals watch`: shows the approvals of every session as they are asked and as they end; a person can answer here.
import { type Approval, type Event, isBrokenLine } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createServerLink, type ServerLink } from '../connection/server-link.ts';
import { toCard } from '../decision-prompts/approval-card.ts';
import {
  createApprovalPrompt,
  formatEnding,
  formatHowToAnswer,
} from '../decision-prompts/approval-prompt.ts';
import { createPromptQueue } from '../decision-prompts/prompt-queue.ts';
import { onInterrupt } from '../terminal/interrupts.ts';

const maxPageSize = 500;

/** What to do when an approval is asked and when it ends. */
interface Watcher {
  onAsked(approval: Approval): void;
  onEnded(approval: Approval): void;
}

export async function watchApprovals(call: Call): Promise<number> {
  const { err } = call.terminal;
  const link = await createServerLink(call);
  const watcher = createWatcher(call, link);
  const stop = new AbortController();
  const removeListener = onInterrupt({ first: () => stop.abort(), second: () => process.exit(130) });
  const notice = 'Approvals appear here as they are asked. Ctrl-C stops watching; approvals stay pending.';
  err.line(err.paint('dim', notice));
  const openApprovals = createOpenApprovals(link, watcher);
  try {
    while (!stop.signal.aborted) {
      await followEvents(link, openApprovals, stop.signal).catch(async (thrown) => {
        if (!isBrokenLine(thrown)) throw thrown;
        await link.reconnect();
      });
    }
  } finally {
    removeListener();
  }
  return 0;
}

/** Reads the events of every session until the connection breaks. Once it is open, syncs what is already pending. */
async function followEvents(
  link: ServerLink,
  openApprovals: OpenApprovals,
  stop: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  let looking: Promise<void> | undefined;
  const onOpen = () => {
    looking = openApprovals.sync();
    looking.catch(() => failed.abort());
  };
  for await (const { event } of link.client.events({ signal, patienceMs: 0, onOpen })) {
    await looking;
    await openApprovals.onEvent(event);
  }
  await looking;
}

function createWatcher(call: Call, link: ServerLink): Watcher {
  const { out, keyboard, err } = call.terminal;
  if (call.flags.has('json')) {
    const print = (approval: Approval) => out.line(JSON.stringify(approval));
    return { onAsked: print, onEnded: print };
  }
  if (keyboard) {
    const prompt = createApprovalPrompt({
      link,
      writer: err,
      queue: createPromptQueue(keyboard),
      writeLine: err.line,
    });
    return {
      onAsked: prompt.ask,
      onEnded: ({ id: approvalId, ...rest }) => prompt.end({ approvalId, ...rest }),
    };
  }
  return {
    onAsked(approval) {
      out.line(toCard(out, { approval }, { now: Date.now() }));
      out.line(`  ${formatHowToAnswer(approval)}`);
    },
    onEnded: (approval) => out.line(formatEnding(out, approval, approval)),
  };
}

interface OpenApprovals {
  /** Reports approvals that were asked or have ended since the last time, oldest first. */
  sync(): Promise<void>;
  /** The same for one event. */
  onEvent(event: Event): Promise<void>;
}

/** Keeps the approvals known to be open, so that the watcher hears of each start and end once. */
function createOpenApprovals(link: ServerLink, watcher: Watcher): OpenApprovals {
  const open = new Map<string, Approval>();

  function add(approval: Approval): void {
    if (open.has(approval.id)) return;
    open.set(approval.id, approval);
    watcher.onAsked(approval);
  }

  async function settle(id: string): Promise<void> {
    if (!open.has(id)) return;
    const now = await link.ask((client) => client.approvals.get(id));
    // One beyond the first page was not in the list but may still be pending.
    if (now.state !== 'pending' && open.delete(id)) watcher.onEnded(now);
  }

  return {
    async sync() {
      const { items } = await link.ask((client) =>
        client.approvals.list({ state: 'pending', limit: maxPageSize }),
      );
      const pending = new Set(items.map(({ id }) => id));
      for (const id of [...open.keys()].filter((each) => !pending.has(each))) await settle(id);
      for (const listed of items.toReversed()) {
        const { id, shortenedFrom } = listed;
        const isCut = shortenedFrom !== undefined && !open.has(id);
        add(isCut ? await link.ask((client) => client.approvals.get(id)) : listed);
      }
    },
    async onEvent(event) {
      if (event.type === 'approval_required') add(event.data.approval);
      else if (event.type === 'approval_resolved') await settle(event.data.approvalId);
    },
  };
}
