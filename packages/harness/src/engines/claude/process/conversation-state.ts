// What a session knows of its conversation beyond any process: the CLI's id of it, and where it stands. Kept by
// checkpoints.
import { type EngineHost, type EngineSpec, ToolyardError } from '@toolyard/sdk';
import { sessionGoneFailure } from '../events/failures.ts';
import { type SessionState, toState } from '../transcripts/continuation.ts';
import { findTranscript } from '../transcripts/transcript-file.ts';

export type ConversationState = ReturnType<typeof createConversationState>;

export function createConversationState(resume: EngineSpec['resume'], configFolder: string) {
  let state = toState(resume?.state);
  let token = resume?.token === state.forgotten ? undefined : resume?.token;

  return {
    /** The CLI's own id of the session, once there is one. */
    token: () => token,
    state: () => state,
    name(given: string): void {
      token = given;
    },
    change(change: Partial<SessionState>): void {
      state = { ...state, ...change };
    },
    /** An answered message will not be sent again; it may be large. */
    dropMessage(): void {
      const { message: _, ...rest } = state;
      state = rest;
    },
    save(host: EngineHost, append?: unknown[]): void {
      host.checkpoint({ ...(token && { token }), state, ...(append && { append }) }).catch(() => {});
    },
    /** The CLI no longer has the conversation. The log does; the next message begins a new one. */
    forget(lostToken: string): ToolyardError {
      state = toState({ forgotten: lostToken });
      token = undefined;
      const { code, message } = sessionGoneFailure();
      return new ToolyardError(code, message);
    },
    transcript: async () => token && findTranscript(configFolder, token),
    /** Of the conversation that it goes on from. */
    forkedTranscript: async () => state.fork && findTranscript(configFolder, state.fork.token),
  };
}
