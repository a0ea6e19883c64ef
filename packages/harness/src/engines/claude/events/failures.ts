// Names what went wrong in the CLI: a code, and one sentence of what to do. The provider's faults are said in the same
// words as everywhere; only what is the CLI's own is worded here.
import { type Failure, stepLimit, ToolyardError } from '@toolyard/sdk';
import {
  toBriefText,
  toCutOffFailure,
  toDeclinedFailure,
  toOutputLimitFailure,
  toStatusFailure,
  toUnreachableFailure,
  toUnreadableFailure,
} from '../../provider-failures.ts';
import { installSdk } from '../lib/sdk.ts';

/** An error as the CLI tells it, spread over its `result` and the message before it. */
export interface CliError {
  /** The CLI's own name for an error of the provider. */
  kind: string | undefined;
  /** HTTP status of the provider's answer. */
  status?: number;
  subtype?: string | undefined;
  reason?: string | undefined;
  stopReason?: string | undefined;
  apiError?: string | undefined;
  /** The CLI's words for it. */
  detail: string;
}

const rehearse = 'To try Toolyard without either: toolyard serve --rehearse.';
const checkAccess = `Log in again (run \`claude\`, then /login) or set another ANTHROPIC_API_KEY, then retry the turn. ${rehearse}`;

/** Where a turn was stopped by a limit that was set for it. */
export function toLimit({ subtype, reason, detail }: CliError): Failure | undefined {
  if (subtype === 'error_max_turns' || reason === 'max_turns')
    return stepLimit(/\((\d+)\)/.exec(detail)?.[1] ?? 'too many');
  if (subtype !== 'error_max_budget_usd' && reason !== 'budget_exhausted') return undefined;
  const amount = /\$[\d.]+/.exec(detail)?.[0];
  const message = `The turn stopped because its budget${amount ? ` of ${amount}` : ''} is used up. Raise the budget, then send a message to continue.`;
  return { code: 'budget_limit', message };
}

/** Every other end that is not a good one. */
export function toCliFailure(error: CliError): Failure {
  const detail = toWords(error.detail);
  return (
    toCredentialFailure(error, detail) ?? toReasonFailure(error, detail) ?? toProviderFailure(error, detail)
  );
}

function toCredentialFailure({ kind, status }: CliError, detail: string): Failure | undefined {
  if (kind === 'authentication_failed' && status === undefined) return notLoggedIn(detail);
  if (kind === 'billing_error') {
    const message = `The account behind the credentials cannot pay (${detail}). Add credit or use another account or key, then retry the turn.`;
    return { code: 'provider_auth', message };
  }
  const isAccount = kind === 'oauth_org_not_allowed' || kind === 'account_on_hold';
  if (!isAccount && kind !== 'verification_required' && kind !== 'cloud_credential_error') return undefined;
  const message = `The account cannot be used (${detail}). ${checkAccess}`;
  return { code: 'provider_auth', message };
}

function notLoggedIn(detail: string): Failure {
  const suffix = detail ? ` (${detail})` : '';
  const message = `Claude is not logged in and has no API key${suffix}. Run \`claude\` and log in with /login, or set ANTHROPIC_API_KEY, then retry the turn. ${rehearse}`;
  return { code: 'provider_auth', message };
}

/** What the CLI stopped for by itself. */
function toReasonFailure(error: CliError, detail: string): Failure | undefined {
  const { kind, reason, stopReason, subtype } = error;
  if (stopReason === 'refusal') return toDeclinedFailure();
  if (/^No conversation found/i.test(detail)) return sessionGoneFailure();
  if (kind === 'max_output_tokens') return toOutputLimitFailure();
  if (reason === 'prompt_too_long' || reason === 'blocking_limit' || reason === 'rapid_refill_breaker') {
    const message = `The conversation no longer fits the model’s context window (${detail.split(' · ')[0]}). Start a new session, or send less at once.`;
    return { code: 'provider_rejected', message };
  }
  if (reason === 'image_error') {
    const message = `An image could not be used (${detail}). Send it smaller or in another format.`;
    return { code: 'provider_rejected', message };
  }
  if (reason === 'malformed_tool_use_exhausted') return toUnreadableFailure(detail);
  return subtype === 'success' ? undefined : toBrokenFailure(detail || (reason ?? ''));
}

function toProviderFailure({ kind, status, apiError, detail: all }: CliError, detail: string): Failure {
  if (kind === 'model_not_found') {
    const message = `The model is not available (${detail}). Choose another one, then retry the turn.`;
    return { code: 'unknown_model', message };
  }
  if (status !== undefined && status >= 300) return toStatusFailure(status, detail, checkAccess).failure;
  if (kind === 'rate_limit' || kind === 'overloaded')
    return toStatusFailure(kind === 'rate_limit' ? 429 : 529, detail, checkAccess).failure;
  if (/ECONNRESET|connection .*(lost|closed)|stream .*(ended|closed)/i.test(all)) return toCutOffFailure();
  if (apiError === 'connection_failed' || /\bE[A-Z]{5,}\b|unable to connect|timed out/.test(all))
    return toUnreachableFailure(detail);
  if (/JSON|parse|malformed/i.test(all)) return toUnreadableFailure(detail);
  return {
    code: 'provider_failed',
    message: `The model’s provider failed (${detail}). Retry the turn later.`,
  };
}

/** Without what the CLI puts before every error, and the status that stands beside it anyway. */
function toWords(detail: string): string {
  return toBriefText(detail.replace(/^API Error:\s*(\d{3}\s+)?/, ''));
}

export function sessionGoneFailure(): Failure {
  const message =
    'Claude no longer has this conversation: its transcript was deleted from the disk. The log here is complete. Send the message again to continue in a new conversation.';
  return { code: 'session_gone', message };
}

function toBrokenFailure(detail: string): Failure {
  const suffix = detail ? ` (${toBriefText(detail)})` : '';
  return { code: 'process_failed', message: `Claude could not finish the turn${suffix}. Retry the turn.` };
}

/** The process has ended in the middle of a turn, or did not start. `tail` is the end of its stderr. */
export function toExitFailure({ error, tail, silent }: ProcessExit): Failure {
  if (/No conversation found/i.test(tail)) return sessionGoneFailure();
  const words = toBriefText(lastLines(tail));
  const suffix = [error && toBriefText(error.message), words && `its last output: ${words}`]
    .filter(Boolean)
    .join('; ');
  const message = (error && notStarted(error)) ?? (silent ? saidNothing(suffix) : endedEarly(suffix));
  return { code: 'process_failed', message };
}

interface ProcessExit {
  error?: Error;
  tail: string;
  silent?: true;
}

function endedEarly(suffix: string): string {
  return `Claude’s process ended before the turn did${suffix ? ` (${suffix})` : ''}. Retry the turn to continue where it stopped.`;
}

function saidNothing(suffix: string): string {
  return `Claude’s process ended before it answered anything${suffix ? ` (${suffix})` : ''}. Retry the turn. If it happens again, make sure that claude.executable is Claude Code 2.1 or newer, or remove that setting and run \`${installSdk}\`.`;
}

function notStarted(error: Error): string | undefined {
  const name = 'errorClass' in error ? error.errorClass : undefined;
  const isOurs = error instanceof ToolyardError && error.code === 'process_failed';
  if (isOurs || name === 'executable_not_found' || name === 'executable_launch_failed') {
    const why = toBriefText(error.message.replace(/^.* could not be started: (.*?)\.?$/s, '$1'));
    return `Claude could not be started (${why}). Install it with \`${installSdk}\`, or set claude.executable to its path.`;
  }
  // The SDK refuses a CLI whose hooks cannot block, and so do we.
  if (!/onFailure/.test(error.message)) return undefined;
  return `This Claude Code is too old: it would run tools without asking Toolyard. Update it with \`${installSdk}@latest\`, or set claude.executable to a newer one.`;
}

/** The cause of an end stands in the last lines. */
function lastLines(tail: string): string {
  return tail.trim().split('\n').slice(-5).join('\n');
}
