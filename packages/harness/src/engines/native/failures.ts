// Names what went wrong with a model call: a code, a sentence that says what to do, and whether trying again may help.
// The provider's errors are read by their shape, so that this file needs none of its code.
import { type Failure, ToolyardError, toFailure } from '@toolyard/sdk';
import {
  cutOff,
  declined,
  firstWords,
  longestAnswer,
  toStatusFailure,
  unreachable,
  unreadable,
} from '../provider-failures.ts';
import type { Answer } from './answer.ts';

export { stepLimit } from '../provider-failures.ts';

export interface Fault {
  failure: Failure;
  /** The same request may work a little later. */
  passing: boolean;
  /** How long the provider asks to wait. */
  headers?: Record<string, string>;
}

const checkKey = 'Check ANTHROPIC_API_KEY, then retry the turn.';

/** What the provider threw or sent as an error. Aborts are not faults: ask the signal first. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof ToolyardError) return lasting(thrown.toFailure());
  const { status, said, headers, isRetryable } = readError(thrown);
  if (status !== undefined && status >= 300)
    return { ...toStatusFailure(status, said, checkKey), ...(headers && { headers }) };
  if (isRetryable && status === undefined) return passing(unreachable(said));
  if (status !== undefined) return streamCut();
  return lasting(unreadable(said));
}

/** The stream ended before the model had finished. */
export function streamCut(): Fault {
  return passing(cutOff());
}

/** Not tried again by itself: each attempt would take as long. */
export function fellSilent(ms: number): Fault {
  const message = `The model sent nothing for ${ms / 1_000} seconds and was given up on. Retry the turn.`;
  return lasting({ code: 'stream_cut', message });
}

/** Why an answer that is formally whole still fails the turn. */
export function toStopFailure(answer: Answer): Failure | undefined {
  const reason = answer.stopReason();
  if (reason === 'content-filter') return declined();
  return reason === 'length' && answer.calls().length === 0 ? longestAnswer() : undefined;
}

export function reusedCallId(): Failure {
  const message = 'The model used one id for two tool calls, so they were not run. Retry the turn.';
  return { code: 'malformed_response', message };
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
    message: `The native engine broke: ${firstWords(cause)}. Retry the turn and report this.`,
  };
}

/** The same fault after the engine has stopped trying. */
export function toGivenUp(fault: Fault, attempts: number): Fault {
  if (attempts < 2) return fault;
  const message = `${fault.failure.message} (${attempts} attempts were made.)`;
  return { ...fault, failure: { ...fault.failure, message } };
}

interface ReadError {
  status?: number;
  said: string;
  headers?: Record<string, string>;
  /** No answer came at all. */
  isRetryable: boolean;
}

function readError(thrown: unknown): ReadError {
  if (typeof thrown !== 'object' || thrown === null)
    return { said: firstWords(String(thrown)), isRetryable: false };
  const error: Partial<Record<'message' | 'statusCode' | 'responseHeaders' | 'isRetryable', unknown>> =
    thrown;
  return {
    ...(typeof error.statusCode === 'number' && { status: error.statusCode }),
    said: firstWords(typeof error.message === 'string' ? error.message : ''),
    ...(isHeaders(error.responseHeaders) && { headers: error.responseHeaders }),
    isRetryable: error.isRetryable === true,
  };
}

function isHeaders(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null;
}

function passing(failure: Failure): Fault {
  return { failure, passing: true };
}

function lasting(failure: Failure): Fault {
  return { failure, passing: false };
}
