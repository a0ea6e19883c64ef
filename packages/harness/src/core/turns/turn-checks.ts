// What a message or a retry must be, and what is answered otherwise.
import { type Content, type Session, type StoreWrites, ToolyardError, type Turn } from '@toolyard/sdk';
import { directEngine } from '../sessions/direct-turns.ts';

/** The same key and content answers as the first time did. */
export function sameMessage(earlier: Turn, content: Content): { turnId: string; seq: number } {
  if (JSON.stringify(earlier.content) === JSON.stringify(content))
    return { turnId: earlier.id, seq: earlier.seq };
  throw new ToolyardError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another message. Use a new key.',
    {
      data: { turnId: earlier.id },
    },
  );
}

/** A task that was only named is about what is first said on it. */
export async function describeTask(tx: StoreWrites, slug: string, description: string): Promise<void> {
  const task = await tx.task(slug);
  if (task?.status === 'open' && task.description === '') await tx.updateTask(slug, { description });
}

/** In a session made for one tool call nobody is there to talk to. */
export function requireConversation(session: Session): Session {
  if (session.engine !== directEngine) return session;
  const hint = 'Open another session to talk to an agent.';
  throw new ToolyardError('nothing_to_retry', `This session was made for a tool call. ${hint}`);
}

export function requireStopped(turn: Turn | undefined): Turn {
  if (turn && turn.state !== 'completed' && turn.state !== 'queued' && turn.state !== 'running') return turn;
  const why = turn ? `The last turn is ${turn.state}.` : 'Nothing was sent yet.';
  throw new ToolyardError('nothing_to_retry', `There is nothing to retry. ${why}`);
}

/** For whoever has waited long enough. `unstored`: turns whose end the disk refuses. */
export function notEnded(unstored: ReadonlySet<string>): ToolyardError {
  const refused =
    'The turn was stopped, but the disk refuses to store its end. It will be stored as soon as possible.';
  if (unstored.size > 0) return new ToolyardError('storage_failed', refused);
  const slow =
    'It was told to stop, and is still ending: what its agents have left is being put away. Look again in a moment.';
  return new ToolyardError('session_busy', slow);
}
