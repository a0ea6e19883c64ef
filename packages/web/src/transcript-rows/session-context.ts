// The session that is on the page, for whatever stands in its transcript.
import type { Approval, Content } from '@toolyard/sdk';
import { createContext, useContext } from 'react';
import type { Found } from './search-match.ts';

export interface OpenSession {
  sessionId: string;
  isRunning: boolean;
  approvals: readonly Approval[];
  found: Found | undefined;
  /** Number of the end of the latest turn: only that one can be retried. */
  lastEndSeq: number | undefined;
  retry(): void;
  isRetrying: boolean;
  /** The words of the turn that ended with that event. */
  readAnswer(endSeq: number): string;
  /** What was asked in the turn that ended with that event. */
  readQuestion(endSeq: number): string;
  /** Puts a message back where it can be edited, with its images and files. */
  edit(content: Content): void;
}

const Context = createContext<OpenSession | undefined>(undefined);
export const OpenSessionProvider = Context;

export function useOpenSession(): OpenSession {
  const session = useContext(Context);
  if (!session) throw new Error('there is no open session around this');
  return session;
}
