// Names what went wrong with a model call: a code, a sentence that says what to do, and whether trying again may help.
import { type Failure, type ModelAccess, ToolyardError, toFailure } from '@toolyard/sdk';
import {
  toAttachmentFailure,
  toBillingFailure,
  toBriefText,
  toContextLengthFailure,
  toCutOffFailure,
  toDeclinedFailure,
  toOutputLimitFailure,
  toStatusFailure,
  toUnreachableFailure,
  toUnreadableFailure,
} from '../../provider-failures.ts';
import type { Answer } from './answer.ts';
import { type ProviderError, readProviderError } from './provider-error.ts';

export interface Fault {
  failure: Failure;
  /** The same request may work a little later. */
  isTransient: boolean;
  /** How long the provider asks to wait. */
  headers?: Record<string, string>;
  /** The request was more than the model can read. */
  isTooLong?: true;
  /** It is about a picture or file, if the conversation has any; then this is what to say. */
  ofAttached?: Failure;
}

/** Whose fault it is, for the words of it. */
export type FaultOf = Pick<ModelAccess, 'provider' | 'model' | 'settings' | 'hint'>;

/** What the provider threw or sent as an error. Aborts are not faults: ask the signal first. */
export function toFault(thrown: unknown, of: FaultOf): Fault {
  if (thrown instanceof ToolyardError) return permanentFault(thrown.toFailure());
  const error = readProviderError(thrown);
  const { status, detail, headers } = error;
  if (isTooLong(error)) return { ...permanentFault(toContextLengthFailure(detail)), isTooLong: true };
  if (error.isCut) return toCutFault();
  if (status !== undefined && status >= 300)
    return {
      ...toStatusFault(error, status, of),
      ...(headers && { headers }),
      ...(isOfAttached(error) && { ofAttached: toAttachmentFailure(`${status}: ${detail}`) }),
    };
  if (error.isRetryable && status === undefined)
    return transientFault(toUnreachableFailure(detail, of.settings.address));
  if (status !== undefined) return toCutFault();
  return permanentFault(toUnreadableFailure(detail, of.settings.address));
}

function toStatusFault({ detail, names }: ProviderError, status: number, of: FaultOf): Fault {
  // Some providers say of an empty account that its rate is limited; it stays empty.
  if (/insufficient_quota|billing/.test(names))
    return permanentFault(toBillingFailure(`${status}: ${detail}`));
  const { provider, model, settings, hint } = of;
  const suffix = hint ? `${hint} ` : '';
  return toStatusFailure(
    status,
    detail,
    `Check ${settings.key}, then retry the turn.`,
    `The model ${provider}/${model} may not exist. ${suffix}Choose another model (\`toolyard models list\`) or check ${settings.address}, then retry the turn.`,
  );
}

const tooLongWords =
  /prompt is too long|context.?(length|window)|maximum context|input token count|request too large|too many (input )?tokens/i;

/** Every provider says it in its own way, and none with a status of its own. */
function isTooLong({ status, detail, names }: ProviderError): boolean {
  if (/context_length_exceeded|request_too_large/.test(names)) return true;
  return (status === 400 || status === 413 || status === 422) && tooLongWords.test(detail);
}

const attachedWords = /image|picture|pixel|pdf|document|file|media|vision|modal/i;

function isOfAttached({ status, detail }: ProviderError): boolean {
  return (status === 400 || status === 413 || status === 415 || status === 422) && attachedWords.test(detail);
}

/** The stream ended before the model had finished. */
export function toCutFault(): Fault {
  return transientFault(toCutOffFailure());
}

/** Not tried again by itself: each attempt would take as long. */
export function toIdleFault(ms: number): Fault {
  const message = `The model sent nothing for ${ms / 1_000} seconds, so the request timed out. Retry the turn.`;
  return permanentFault({ code: 'stream_cut', message });
}

/** Why an answer that is formally whole still fails the turn. */
export function toStopFailure(answer: Answer): Failure | undefined {
  const reason = answer.stopReason();
  if (reason === 'content-filter') return toDeclinedFailure();
  if (reason === 'error') return unreadableCall();
  return reason === 'length' && answer.calls().length === 0 ? toOutputLimitFailure() : undefined;
}

function unreadableCall(): Failure {
  const message = 'The model’s provider stopped: it could not parse the model’s answer. Retry the turn.';
  return { code: 'malformed_response', message };
}

export function nothingToContinue(): Failure {
  return {
    code: 'nothing_to_retry',
    message: 'There is nothing to continue in this session. Send a message.',
  };
}

/** A turn that ends because this engine itself is broken. */
export function toInternal(thrown: unknown): Failure {
  if (thrown instanceof ToolyardError) return toFailure(thrown);
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: 'internal',
    message: `Internal error in the native engine: ${toBriefText(cause)}. Retry the turn and report this.`,
  };
}

/** The same fault after the engine has stopped trying. */
export function toFinalFault(fault: Fault, attempts: number): Fault {
  if (attempts < 2) return fault;
  const message = `${fault.failure.message} (${attempts} attempts.)`;
  return { ...fault, failure: { ...fault.failure, message } };
}

function transientFault(failure: Failure): Fault {
  return { failure, isTransient: true };
}

function permanentFault(failure: Failure): Fault {
  return { failure, isTransient: false };
}
