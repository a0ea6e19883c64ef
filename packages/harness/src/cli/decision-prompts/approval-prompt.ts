// Asks the person at this terminal about approvals, one at a time, or prints how to answer from another terminal. Also
// prints the first answer, wherever it was given.
import {
  type AnswerApproval,
  type Approval,
  type EventData,
  scopesOf,
  ToolyardError,
  toFailure,
  toVisibleLine,
} from '@toolyard/sdk';
import type { ServerLink } from '../connection/server-link.ts';
import { formatAgent } from '../terminal/agent-line.ts';
import type { Keyboard } from '../terminal/keyboard.ts';
import { program } from '../terminal/program.ts';
import type { TextWriter } from '../terminal/terminal.ts';
import { askPerson } from './ask-approval.ts';
import type { PromptQueue } from './prompt-queue.ts';

export type ApprovalEnd = EventData<'approval_resolved'>;

export interface PromptOptions {
  link: Pick<ServerLink, 'ask'>;
  writer: TextWriter;
  /** Asks the person. Without a person, approvals are printed here and answered elsewhere. */
  queue: PromptQueue;
  writeLine(text: string): void;
}

export interface ApprovalPrompt {
  /** Asks about an approval, or prints how to answer it. */
  ask(approval: Approval): void;
  /** Removes one that was answered, expired or cancelled. */
  end(ending: ApprovalEnd): void;
}

export function createApprovalPrompt({ link, writer, queue, writeLine }: PromptOptions): ApprovalPrompt {
  const open = new Map<string, Approval>();

  async function promptPerson(person: Keyboard, approval: Approval, ended: AbortSignal): Promise<void> {
    const session = await link
      .ask((client) => client.sessions.get(approval.sessionId))
      .catch(() => undefined);
    const answer = await askPerson({ keyboard: person, writer, writeLine }, { approval, session }, ended);
    if (answer) await send(approval, answer).catch((thrown) => writeLine(formatFailure(writer, thrown)));
    else forget(approval);
  }

  /** Removes the approval when it is answered, here or elsewhere. After any other failure it is asked again. */
  async function send(approval: Approval, answer: AnswerApproval): Promise<void> {
    try {
      const { id: approvalId, ...rest } = await link.ask((client) =>
        client.approvals.answer(approval.id, answer),
      );
      end({ approvalId, ...rest });
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
      forget(approval);
      writeLine(toFailure(thrown).message);
    }
  }

  function forget({ id }: Approval): void {
    open.delete(id);
    queue.remove(id);
  }

  function end(ending: ApprovalEnd): void {
    const known = open.get(ending.approvalId);
    if (!known) return;
    forget(known);
    writeLine(formatEnding(writer, known, ending));
  }

  return {
    ask(approval) {
      if (open.has(approval.id)) return;
      open.set(approval.id, approval);
      const isAsked = queue.add(approval.id, (person, ended) => promptPerson(person, approval, ended));
      if (!isAsked) writeLine(formatHowToAnswer(approval));
    },
    end,
  };
}

/** One line with the exact command, for output without a terminal. */
export function formatHowToAnswer(approval: Approval): string {
  const agent = formatAgent(approval.lineage);
  const whose = agent ? ` of ${agent}` : '';
  return `${toVisibleLine(approval.tool)}${whose} waits for your approval. Answer from another terminal: ${toAllow(approval)}`;
}

/** The command that allows it, with the wider scopes where they are offered. */
export function toAllow(approval: Pick<Approval, 'id' | 'scopes'>): string {
  const wider = scopesOf(approval).find((scope) => scope !== 'once');
  return `${program} approvals allow ${approval.id}${wider ? ` [--scope ${wider}]` : ''}`;
}

/** `✓ allowed (session) by person owner via terminal` */
export function formatEnding(
  writer: TextWriter,
  { tool }: Pick<Approval, 'tool'>,
  { state, scope, decidedBy }: Pick<ApprovalEnd, 'state' | 'scope' | 'decidedBy'>,
): string {
  const mark = state === 'allowed' ? writer.paint('green', '✓') : writer.paint('yellow', '✗');
  const how = scope ? `${state} (${scope})` : state;
  const who = decidedBy
    ? ` by ${toVisibleLine(`${decidedBy.kind} ${decidedBy.id} via ${decidedBy.via}`)}`
    : '';
  return `${mark} ${toVisibleLine(tool)} ${how}${who}`;
}

export function formatFailure(writer: TextWriter, thrown: unknown): string {
  const { message, code } = toFailure(thrown);
  return `${writer.paint('red', '✗')} Your answer was not accepted: ${toVisibleLine(message)} (${code})`;
}
