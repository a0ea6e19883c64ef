// `approvals watch`: approvals of every session as they come and as they end; a person may answer here.
import { type Approval, pause } from '@toolyard/sdk';
import { toCard } from './approval-card.ts';
import type { Call } from './arguments.ts';
import { createDesk, sayEnding, sayHowToAnswer } from './desk.ts';
import { onInterrupt } from './interrupts.ts';
import { createLink, type Link } from './link.ts';
import { createQueue } from './queue.ts';

const everyMs = 500;
const largestPage = 500;

/** What watching an approval come and go does. */
interface Watcher {
  came(approval: Approval): void;
  went(approval: Approval): void;
}

export async function watchApprovals(call: Call): Promise<number> {
  const { err } = call.terminal;
  const link = await createLink(call);
  const watcher = createWatcher(call, link);
  const stop = new AbortController();
  const unhear = onInterrupt({ first: () => stop.abort(), second: () => process.exit(130) });
  err.line(err.paint('dim', 'Approvals appear here as they are asked. Ctrl-C stops watching; they wait on.'));
  const open = new Map<string, Approval>();
  while (!stop.signal.aborted) {
    await look(link, open, watcher);
    await pause(everyMs, stop.signal);
  }
  unhear();
  return 0;
}

function createWatcher(call: Call, link: Link): Watcher {
  const { out, keyboard, err } = call.terminal;
  if (call.flags.has('json')) {
    const print = (approval: Approval) => out.line(JSON.stringify(approval));
    return { came: print, went: print };
  }
  if (keyboard) {
    const desk = createDesk({ link, pen: err, queue: createQueue(keyboard), say: err.line });
    return { came: desk.ask, went: ({ id: approvalId, ...rest }) => desk.end({ approvalId, ...rest }) };
  }
  return {
    came(approval) {
      out.line(toCard(out, { approval }, { now: Date.now() }));
      out.line(`  ${sayHowToAnswer(approval)}`);
    },
    went: (approval) => out.line(sayEnding(out, approval, approval)),
  };
}

/** Tells what has come and gone since the last look, the oldest first. */
async function look(link: Link, open: Map<string, Approval>, watcher: Watcher): Promise<void> {
  const { items } = await link.ask((client) =>
    client.approvals.list({ state: 'pending', limit: largestPage }),
  );
  const pending = new Set(items.map(({ id }) => id));
  for (const { id } of [...open.values()].filter((each) => !pending.has(each.id))) {
    const now = await link.ask((client) => client.approvals.get(id));
    // Beyond the first page it is not seen, and still waits.
    if (now.state === 'pending') continue;
    open.delete(id);
    watcher.went(now);
  }
  for (const listed of items.toReversed().filter(({ id }) => !open.has(id))) {
    const { id, shortenedFrom } = listed;
    const approval = shortenedFrom ? await link.ask((client) => client.approvals.get(id)) : listed;
    open.set(approval.id, approval);
    watcher.came(approval);
  }
}
