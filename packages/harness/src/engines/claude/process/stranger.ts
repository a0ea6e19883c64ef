// Messages by which the CLI tells that somebody else has spoken to it: another session of the same user, or itself.
import { fieldsAt, isFields, textAt } from '../lib/foreign.ts';
import { isPromptOf } from '../lib/prompt-id.ts';

/** Is the CLI at work on a message that we did not send? */
export function isStrangers(sessionId: string, message: unknown): boolean {
  if (!isFields(message)) return false;
  if (message.type === 'result') return fieldsAt(message, 'origin').kind === 'peer';
  if (message.type !== 'command_lifecycle' || message.state !== 'started') return false;
  return !isPromptOf(sessionId, textAt(message, 'command_uuid') ?? '');
}
