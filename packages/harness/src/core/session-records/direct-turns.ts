// How a turn that is one direct call is told from one that answers a message.
import type { Turn } from '@toolyard/sdk';

/** The engine of a session in which nobody converses. */
export const directEngine = 'direct';

/** No message has this number. */
export const directSeq = 0;

/** Of a direct call that a stop of the server has cut off. */
export const callCutOff = {
  code: 'restarted' as const,
  message: 'The server stopped during this call. Check its effect, then call the tool again if needed.',
};

/** Stands where a turn has the words of a message. */
export const directContent = 'direct';

/** Unlike a turn that an agent began by itself, elsewhere: that one has no message, either. */
export function isOfConversation({ seq, content }: Pick<Turn, 'seq' | 'content'>): boolean {
  return seq !== directSeq || content !== directContent;
}

/** A direct call answers no message, so no engine can go on with it and nobody can retry it. */
export function isDirectTurn({ seq }: Pick<Turn, 'seq'>): boolean {
  return seq === directSeq;
}
