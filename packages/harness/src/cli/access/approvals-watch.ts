// `approvals watch`: approvals of every session as they come and as they end; a person may answer here.
import { type Approval, type Event, isBrokenLine } from '@toolyard/sdk';
import { toCard } from '../asking/approval-card.ts';
import { createDesk, sayEnding, sayHowToAnswer } from '../asking/desk.ts';
import { createQueue } from '../asking/queue.ts';
import type { Call } from '../command-line/arguments.ts';
import { createLink, type Link } from '../connection/link.ts';
import { onInterrupt } from '../terminal/interrupts.ts';

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
  const notes = createNotes(link, watcher);
  try {
    while (!stop.signal.aborted) {
      await hear(link, notes, stop.signal).catch(async (thrown) => {
        if (!isBrokenLine(thrown)) throw thrown;
        await link.renew();
      });
    }
  } finally {
    unhear();
  }
  return 0;
}

/** Hears what happens in every session until the line breaks. Once it is open, looks at what there is already. */
async function hear(link: Link, notes: Notes, stop: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  let looking: Promise<void> | undefined;
  const onOpen = () => {
    looking = notes.look();
    looking.catch(() => failed.abort());
  };
  for await (const { event } of link.client.events({ signal, patienceMs: 0, onOpen })) {
    await looking;
    await notes.note(event);
  }
  await looking;
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

interface Notes {
  /** Tells what has come and gone, the oldest first. */
  look(): Promise<void>;
  /** The same for one event. */
  note(event: Event): Promise<void>;
}

/** What is known to be open; told of it, the watcher hears of everything once. */
function createNotes(link: Link, watcher: Watcher): Notes {
  const open = new Map<string, Approval>();

  function add(approval: Approval): void {
    if (open.has(approval.id)) return;
    open.set(approval.id, approval);
    watcher.came(approval);
  }

  async function settle(id: string): Promise<void> {
    if (!open.has(id)) return;
    const now = await link.ask((client) => client.approvals.get(id));
    // Beyond the first page it was not seen, and still waits.
    if (now.state !== 'pending' && open.delete(id)) watcher.went(now);
  }

  return {
    async look() {
      const { items } = await link.ask((client) =>
        client.approvals.list({ state: 'pending', limit: largestPage }),
      );
      const pending = new Set(items.map(({ id }) => id));
      for (const id of [...open.keys()].filter((each) => !pending.has(each))) await settle(id);
      for (const listed of items.toReversed()) {
        const { id, shortenedFrom } = listed;
        const isCut = shortenedFrom !== undefined && !open.has(id);
        add(isCut ? await link.ask((client) => client.approvals.get(id)) : listed);
      }
    },
    async note(event) {
      if (event.type === 'approval_required') add(event.data.approval);
      else if (event.type === 'approval_resolved') await settle(event.data.approvalId);
    },
  };
}
