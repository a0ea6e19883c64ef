// The approvals of a turn that a command follows: asked here, answered here or elsewhere, parked, and what they mean
// for the command's exit code.
import type { Approval, Event } from '@toolyard/sdk';
import type { Call } from './arguments.ts';
import { createDesk } from './desk.ts';
import type { Link } from './link.ts';
import { createParking } from './parking.ts';
import { program } from './program.ts';
import type { TurnView } from './turn-view.ts';

export interface TurnApprovals {
  hear(event: Event): void;
  /** Aborts when nobody answered in time and the turn waits on without us. */
  parked: AbortSignal;
  /** A person said no, or nobody said anything in time. */
  wereRefused(): boolean;
  close(): void;
}

export function createTurnApprovals(call: Call, link: Link, view: TurnView): TurnApprovals {
  const pen = call.terminal.err;
  // Programs read events, and answer in ways of their own.
  const keyboard = call.flags.has('json') ? undefined : call.terminal.keyboard;
  const left = new AbortController();
  const desk = createDesk({ link, pen, keyboard, say: view.line });
  const parking = createParking(link, (approvals) => {
    view.line(approvals.map(sayParked).join('\n'));
    left.abort();
  });
  let refused = false;

  return {
    parked: left.signal,
    wereRefused: () => refused,
    hear(event) {
      if (event.type === 'approval_required') {
        parking.add(event.data.approval);
        desk.ask(event.data.approval);
      }
      if (event.type === 'approval_resolved') {
        parking.remove(event.data.approvalId);
        desk.end(event.data);
        if (event.data.state === 'denied' || event.data.state === 'expired') refused = true;
      }
    },
    close() {
      parking.close();
      desk.close();
    },
  };
}

function sayParked({ id }: Approval): string {
  const command = `${program} approvals allow ${id} [--scope session]`;
  return `Nobody answered in time, so the turn is parked. It goes on as soon as you answer: ${command}`;
}
