// Anything thrown, as a person should read it: what happened and what to do about it.
import { type ErrorCode, ToolyardError } from '@toolyard/sdk';

export interface Problem {
  code: ErrorCode;
  message: string;
  /** What to do; absent when the message says it itself. */
  advice?: string;
}

const advice: Partial<Record<ErrorCode, string>> = {
  server_unreachable: 'Is it still running? Start it again with `npm start`; this page comes back by itself.',
  unauthorized: 'Ask for a new login link with `toolyard login` and open it in this browser.',
  shutting_down: 'The server is going down. This page comes back when it does.',
  session_not_found: 'It was deleted, or it belongs to another home.',
  person_only: 'Log in as a person: this needs one.',
  already_answered: 'Somebody else was faster. The list shows what they decided.',
  too_many_attempts: 'Wait a minute, then try again.',
  storage_failed: 'Is the disk full? Nothing was changed.',
};

export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof ToolyardError) {
    const found = advice[thrown.code];
    return { code: thrown.code, message: thrown.message, ...(found && { advice: found }) };
  }
  return {
    code: 'internal',
    message: 'Something broke in this page.',
    advice: 'Reload it. Nothing that was sent is lost.',
  };
}
