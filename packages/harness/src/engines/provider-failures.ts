// What a model's provider can do wrong, in the same codes and sentences for every engine. Knows no provider's code.
import type { Failure } from '@toolyard/sdk';

const overloaded = new Set([429, 503, 529]);
const failing = new Set([500, 502, 504]);

export interface ProviderFailure {
  failure: Failure;
  /** The same request may work a little later. */
  isTransient: boolean;
}

/**
 * An HTTP status of 300 or more. `checkCredentials` is the engine's advice about its own, `chooseModel` what to do about
 * a model that the provider does not know.
 */
export function toStatusFailure(
  status: number,
  detail: string,
  checkCredentials: string,
  chooseModel = 'Choose another model, then retry the turn.',
): ProviderFailure {
  const suffix = `(${status}${detail ? `: ${detail}` : ''})`;
  if (overloaded.has(status)) {
    const message = `The model’s provider is overloaded or limits the rate ${suffix}. Wait a moment, then retry the turn.`;
    return { failure: { code: 'provider_overloaded', message }, isTransient: true };
  }
  if (failing.has(status)) {
    const message = `The model’s provider failed ${suffix}. Retry the turn later.`;
    return { failure: { code: 'provider_failed', message }, isTransient: true };
  }
  if (status === 401 || status === 403) {
    const message = `The model’s provider refused the credentials ${suffix}. ${checkCredentials}`;
    return { failure: { code: 'provider_auth', message }, isTransient: false };
  }
  if (status === 402) return { failure: toBillingFailure(detail), isTransient: false };
  if (status === 404) {
    const message = `The model’s provider does not know the model or the address ${suffix}. ${chooseModel}`;
    return { failure: { code: 'unknown_model', message }, isTransient: false };
  }
  const message = `The model’s provider rejected the request ${suffix}. Retrying will not help; change the message, the model or the session.`;
  return { failure: { code: 'provider_rejected', message }, isTransient: false };
}

/** The provider wants money. */
export function toBillingFailure(detail: string): Failure {
  const message = `The account behind the credentials cannot pay (${detail || '402'}). Add credit or use another account, key or model, then retry the turn.`;
  return { code: 'provider_auth', message };
}

/** More than the model can read, and nothing left that could be summarised. */
export function toContextLengthFailure(detail: string): Failure {
  const message = `The conversation no longer fits the model’s context window (${detail}). Send less at once, use a model with a larger window, or start a new session.`;
  return { code: 'provider_rejected', message };
}

/** A picture or file that the provider will not take. */
export function toAttachmentFailure(detail: string): Failure {
  const message = `The model’s provider could not read the attachment (${detail}). It is left out from now on. Send it smaller, in another format, or to a model that can read it.`;
  return { code: 'provider_rejected', message };
}

export function toUnreachableFailure(detail: string, address = 'ANTHROPIC_BASE_URL'): Failure {
  const message = `The model’s provider could not be reached (${detail}). Check the network and ${address}, then retry the turn.`;
  return { code: 'provider_failed', message };
}

/** The stream ended before the model had finished. */
export function toCutOffFailure(): Failure {
  const message = 'The model’s answer was cut off. Retry the turn.';
  return { code: 'stream_cut', message };
}

export function toUnreadableFailure(detail: string, address = 'ANTHROPIC_BASE_URL'): Failure {
  const message = `The model’s answer could not be read (${detail}). Retry the turn; if it happens again, check ${address}.`;
  return { code: 'malformed_response', message };
}

export function toDeclinedFailure(): Failure {
  const message = 'The model declined to answer. Rephrase the message, or start a new session.';
  return { code: 'provider_rejected', message };
}

export function toOutputLimitFailure(): Failure {
  const message = 'The model reached its maximum answer length. Ask it to continue, or to be shorter.';
  return { code: 'provider_rejected', message };
}

/** A provider may answer with a whole page; a person needs its first sentence. */
export function toBriefText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
