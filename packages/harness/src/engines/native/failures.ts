// Names what went wrong with a model call: a code, a sentence that says what to do, and whether trying again may help.
// The provider's errors are read by their shape, so that this file needs none of its code.
import { type ErrorCode, type Failure, ToolyardError, toFailure } from '@toolyard/sdk';
import type { Answer } from './answer.ts';

export interface Fault {
  failure: Failure;
  /** The same request may work a little later. */
  passing: boolean;
  /** How long the provider asks to wait. */
  headers?: Record<string, string>;
}

const overloaded = new Set([429, 503, 529]);
const failing = new Set([500, 502, 504]);

/** What the provider threw or sent as an error. Aborts are not faults: ask the signal first. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof ToolyardError) return lasting(thrown.toFailure());
  const { status, said, headers, unreachable } = readError(thrown);
  if (status !== undefined && status >= 300)
    return { ...toStatusFault(status, said), ...(headers && { headers }) };
  if (unreachable && status === undefined) return passing('provider_failed', unreachableSentence(said));
  if (status !== undefined) return streamCut();
  return lasting({
    code: 'malformed_response',
    message: `The model’s answer could not be read (${said}). Retry the turn; if it happens again, check ANTHROPIC_BASE_URL.`,
  });
}

/** The stream ended before the model had finished. */
export function streamCut(): Fault {
  return passing('stream_cut', 'The model’s answer broke off before it was finished. Retry the turn.');
}

/** Not tried again by itself: each attempt would take as long. */
export function fellSilent(ms: number): Fault {
  const message = `The model sent nothing for ${ms / 1_000} seconds and was given up on. Retry the turn.`;
  return lasting({ code: 'stream_cut', message });
}

/** Why an answer that is formally whole still fails the turn. */
export function toStopFailure(answer: Answer): Failure | undefined {
  const reason = answer.stopReason();
  if (reason === 'content-filter') {
    const message = 'The model declined to answer. Say it differently, or start a new session.';
    return { code: 'provider_rejected', message };
  }
  if (reason === 'length' && answer.calls().length === 0) {
    const message = 'The model reached the longest answer it may give. Ask it to go on, or to be shorter.';
    return { code: 'provider_rejected', message };
  }
  return undefined;
}

export function reusedCallId(): Failure {
  const message = 'The model used one id for two tool calls, so they were not run. Retry the turn.';
  return { code: 'malformed_response', message };
}

export function stepLimit(maxSteps: number): Failure {
  const message = `The turn stopped after ${maxSteps} model steps, the most one turn may take (limits.maxSteps). Send a message to let it go on.`;
  return { code: 'step_limit', message };
}

export function nothingToContinue(): Failure {
  return {
    code: 'nothing_to_retry',
    message: 'There is nothing to go on from in this session. Send a message.',
  };
}

/** A turn that ends because this engine itself is broken. */
export function toInternal(thrown: unknown): Failure {
  if (thrown instanceof ToolyardError) return toFailure(thrown);
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: 'internal',
    message: `The native engine broke: ${bound(cause)}. Retry the turn and report this.`,
  };
}

/** The same fault after the engine has stopped trying. */
export function toGivenUp(fault: Fault, attempts: number): Fault {
  if (attempts < 2) return fault;
  const message = `${fault.failure.message} (${attempts} attempts were made.)`;
  return { ...fault, failure: { ...fault.failure, message } };
}

function toStatusFault(status: number, said: string): Fault {
  const heard = `(${status}${said ? `: ${said}` : ''})`;
  if (overloaded.has(status)) {
    return passing(
      'provider_overloaded',
      `The model’s provider is overloaded or limits the rate ${heard}. Wait a little, then retry the turn.`,
    );
  }
  if (failing.has(status)) {
    return passing('provider_failed', `The model’s provider failed ${heard}. Retry the turn in a while.`);
  }
  if (status === 401 || status === 403) {
    return lasting({
      code: 'provider_auth',
      message: `The model’s provider refused the credentials ${heard}. Check ANTHROPIC_API_KEY, then retry the turn.`,
    });
  }
  const message = `The model’s provider rejected the request ${heard}. Retrying will not help; change the message, the model or the session.`;
  return lasting({ code: 'provider_rejected', message });
}

interface ReadError {
  status?: number;
  said: string;
  headers?: Record<string, string>;
  /** No answer came at all. */
  unreachable: boolean;
}

function readError(thrown: unknown): ReadError {
  if (typeof thrown !== 'object' || thrown === null)
    return { said: bound(String(thrown)), unreachable: false };
  const error: Partial<Record<'message' | 'statusCode' | 'responseHeaders' | 'isRetryable', unknown>> =
    thrown;
  return {
    ...(typeof error.statusCode === 'number' && { status: error.statusCode }),
    said: bound(typeof error.message === 'string' ? error.message : ''),
    ...(isHeaders(error.responseHeaders) && { headers: error.responseHeaders }),
    unreachable: error.isRetryable === true,
  };
}

function isHeaders(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null;
}

function unreachableSentence(said: string): string {
  return `The model’s provider could not be reached (${said}). Check the network and ANTHROPIC_BASE_URL, then retry the turn.`;
}

/** A provider may answer with a whole page; a person needs its first sentence. */
function bound(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function passing(code: ErrorCode, message: string): Fault {
  return { failure: { code, message }, passing: true };
}

function lasting(failure: Failure): Fault {
  return { failure, passing: false };
}
