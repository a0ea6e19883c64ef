// The approvals of the turn that a command follows: asks about them, notices answers from elsewhere and parking, and
// tells whether one was refused, which sets the exit code.
import type { Event } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import type { ServerLink } from '../connection/server-link.ts';
import { createApprovalPrompt, toAllow } from '../decision-prompts/approval-prompt.ts';
import { type Asked, createParkedWatch, isApproval } from '../decision-prompts/parked-watch.ts';
import type { PromptQueue } from '../decision-prompts/prompt-queue.ts';
import { program } from '../terminal/program.ts';
import type { TurnView } from './turn-view.ts';

export interface TurnApprovals {
  onEvent(event: Event): void;
  /** Aborts when nobody answered in time and the turn is parked. */
  parked: AbortSignal;
  /** An approval was denied or has expired. */
  wereRefused(): boolean;
  close(): void;
}

export function createTurnApprovals(
  { terminal }: Call,
  link: ServerLink,
  view: TurnView,
  queue: PromptQueue,
): TurnApprovals {
  const left = new AbortController();
  const prompt = createApprovalPrompt({ link, writer: terminal.err, queue, writeLine: view.line });
  const parkedWatch = createParkedWatch(link, (parked) => {
    view.line(parked.map(formatParked).join('\n'));
    left.abort();
  });
  let refused = false;

  /** Ignores agents under this turn: while one of them is parked, the turn itself continues. */
  function park({ sessionId }: Event, asked: Asked): void {
    if (asked.sessionId === sessionId) parkedWatch.add(asked);
  }

  return {
    parked: left.signal,
    wereRefused: () => refused,
    onEvent(event) {
      // Questions are shown elsewhere; here they only count for parking.
      if (event.type === 'question_required') park(event, event.data.question);
      if (event.type === 'question_resolved') parkedWatch.remove(event.data.questionId);
      if (event.type === 'approval_required') {
        park(event, event.data.approval);
        prompt.ask(event.data.approval);
      }
      if (event.type === 'approval_resolved') {
        parkedWatch.remove(event.data.approvalId);
        prompt.end(event.data);
        if (event.data.state === 'denied' || event.data.state === 'expired') refused = true;
      }
    },
    close: parkedWatch.close,
  };
}

function formatParked(asked: Asked): string {
  const { id } = asked;
  const command = isApproval(asked) ? toAllow(asked) : `${program} questions answer ${id} ANSWER`;
  return `Nobody answered in time, so the turn is parked. It continues when you answer: ${command}`;
}
