// Where approvals wait for the person at this terminal: one question at a time, or a line that says how to answer from
// elsewhere. Whoever answers first, from wherever, is told here.
import {
  type AnswerApproval,
  type Approval,
  type EventData,
  ToolyardError,
  toFailure,
  toVisibleLine,
} from '@toolyard/sdk';
import { askPerson } from './asking.ts';
import type { Keyboard } from './keyboard.ts';
import type { Link } from './link.ts';
import { program } from './program.ts';
import type { Pen } from './terminal.ts';

export type Ending = EventData<'approval_resolved'>;

export interface DeskOptions {
  link: Pick<Link, 'ask'>;
  pen: Pen;
  /** The person; without one, approvals are announced and answered elsewhere. */
  keyboard: Keyboard | undefined;
  say(text: string): void;
}

export interface Desk {
  /** Lays an approval on the desk. */
  ask(approval: Approval): void;
  /** Takes one away: it has been answered, has expired or was cancelled. */
  end(ending: Ending): void;
  /** Nobody is asked any more. */
  close(): void;
}

interface Waiting {
  approval: Approval;
  /** Aborts when it has ended. */
  ended: AbortController;
}

export function createDesk({ link, pen, keyboard, say }: DeskOptions): Desk {
  const waiting = new Map<string, Waiting>();
  let asking = false;

  /** Asks about what waits, the oldest first. */
  async function work(person: Keyboard): Promise<void> {
    if (asking) return;
    asking = true;
    try {
      for (let [next] = waiting.values(); next; [next] = waiting.values()) await askAbout(person, next);
    } finally {
      asking = false;
    }
  }

  async function askAbout(person: Keyboard, { approval, ended }: Waiting): Promise<void> {
    const session = await link
      .ask((client) => client.sessions.get(approval.sessionId))
      .catch(() => undefined);
    const answer = await askPerson({ keyboard: person, pen, say }, { approval, session }, ended.signal);
    if (answer) await send(approval, answer).catch((thrown) => say(sayFailure(pen, thrown)));
    else waiting.delete(approval.id);
  }

  /** Answered, or found answered: off the desk in either case. Any other failure leaves it there to be asked again. */
  async function send(approval: Approval, answer: AnswerApproval): Promise<void> {
    try {
      const { id: approvalId, ...rest } = await link.ask((client) =>
        client.approvals.answer(approval.id, answer),
      );
      end({ approvalId, ...rest });
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
      waiting.delete(approval.id);
      say(toFailure(thrown).message);
    }
  }

  function end(ending: Ending): void {
    const known = waiting.get(ending.approvalId);
    if (!known) return;
    waiting.delete(ending.approvalId);
    known.ended.abort();
    say(sayEnding(pen, known.approval, ending));
  }

  return {
    ask(approval) {
      if (waiting.has(approval.id)) return;
      waiting.set(approval.id, { approval, ended: new AbortController() });
      if (keyboard) void work(keyboard);
      else say(sayHowToAnswer(approval));
    },
    end,
    close() {
      for (const { ended } of waiting.values()) ended.abort();
      waiting.clear();
    },
  };
}

/** One line with the exact command, for whoever reads this where nobody can be asked. */
export function sayHowToAnswer({ id, tool }: Approval): string {
  const command = `${program} approvals allow ${id} [--scope session]`;
  return `${toVisibleLine(tool)} waits for your approval. Answer from another terminal: ${command}`;
}

/** `✓ allowed (session) by person owner via terminal` */
export function sayEnding(
  pen: Pen,
  { tool }: Pick<Approval, 'tool'>,
  { state, scope, decidedBy }: Pick<Ending, 'state' | 'scope' | 'decidedBy'>,
): string {
  const mark = state === 'allowed' ? pen.paint('green', '✓') : pen.paint('yellow', '✗');
  const how = scope ? `${state} (${scope})` : state;
  const who = decidedBy
    ? ` by ${toVisibleLine(`${decidedBy.kind} ${decidedBy.id} via ${decidedBy.via}`)}`
    : '';
  return `${mark} ${toVisibleLine(tool)} ${how}${who}`;
}

function sayFailure(pen: Pen, thrown: unknown): string {
  const { message, code } = toFailure(thrown);
  return `${pen.paint('red', '✗')} Your answer was not taken: ${toVisibleLine(message)} (${code})`;
}
