// The approvals of a turn that a command follows: asked here, answered here or elsewhere, parked, and what they mean
// for the command's exit code.
import type { Event } from '@toolyard/sdk';
import { createDesk, toAllow } from '../asking/desk.ts';
import { type Asked, createParking, isApproval } from '../asking/parking.ts';
import type { Queue } from '../asking/queue.ts';
import type { Call } from '../command-line/arguments.ts';
import type { Link } from '../connection/link.ts';
import { program } from '../terminal/program.ts';
import type { TurnView } from './turn-view.ts';

export interface TurnApprovals {
  hear(event: Event): void;
  /** Aborts when nobody answered in time and the turn waits on without us. */
  parked: AbortSignal;
  /** A person said no, or nobody said anything in time. */
  wereRefused(): boolean;
  close(): void;
}

export function createTurnApprovals(
  { terminal }: Call,
  link: Link,
  view: TurnView,
  queue: Queue,
): TurnApprovals {
  const left = new AbortController();
  const desk = createDesk({ link, pen: terminal.err, queue, say: view.line });
  const parking = createParking(link, (parked) => {
    view.line(parked.map(sayParked).join('\n'));
    left.abort();
  });
  let refused = false;

  /** While an agent under this turn is parked, the turn itself goes on: that is no reason to leave it. */
  function park({ sessionId }: Event, asked: Asked): void {
    if (asked.sessionId === sessionId) parking.add(asked);
  }

  return {
    parked: left.signal,
    wereRefused: () => refused,
    hear(event) {
      // What an agent asks is shown elsewhere; here it only says whether anybody still waits in time.
      if (event.type === 'question_required') park(event, event.data.question);
      if (event.type === 'question_resolved') parking.remove(event.data.questionId);
      if (event.type === 'approval_required') {
        park(event, event.data.approval);
        desk.ask(event.data.approval);
      }
      if (event.type === 'approval_resolved') {
        parking.remove(event.data.approvalId);
        desk.end(event.data);
        if (event.data.state === 'denied' || event.data.state === 'expired') refused = true;
      }
    },
    close: parking.close,
  };
}

function sayParked(asked: Asked): string {
  const { id } = asked;
  const command = isApproval(asked) ? toAllow(asked) : `${program} questions answer ${id} ANSWER`;
  return `Nobody answered in time, so the turn is parked. It goes on as soon as you answer: ${command}`;
}
