// The session that is on the page, for whatever stands in its transcript.
import type { Approval } from '@toolyard/sdk';
import { createContext, useContext } from 'react';

export interface OpenSession {
  sessionId: string;
  isRunning: boolean;
  approvals: readonly Approval[];
  retry(): void;
  isRetrying: boolean;
  /** The words of the turn that ended with that event. */
  readAnswer(endSeq: number): string;
  /** Puts a text back where it can be edited. */
  edit(text: string): void;
}

const Context = createContext<OpenSession | undefined>(undefined);
export const OpenSessionProvider = Context;

export function useOpenSession(): OpenSession {
  const session = useContext(Context);
  if (!session) throw new Error('there is no open session around this');
  return session;
}
