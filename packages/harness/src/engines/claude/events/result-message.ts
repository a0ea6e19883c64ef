// The `result` message: how the turn ended, and what the conversation has cost so far.
import type { TurnOutcome, Usage } from '@toolyard/sdk';
import { type Fields, fieldsAt, isFields, numberAt, textAt } from '../lib/untyped-fields.ts';
import { type CliError, toCliFailure, toLimit } from './failures.ts';
import { toUsage } from './streamed-message.ts';

export interface Ended {
  outcome: TurnOutcome;
  /** Of the whole conversation, a resumed past included. Absent when the CLI did not count. */
  totalCostUsd?: number;
  /** Tokens of the same, over all models and whatever the CLI asked on the side. */
  totalUsage?: Usage;
}

/** What an assistant message says about the error it stands for. */
export type Fault = Pick<CliError, 'kind' | 'status' | 'detail'>;

const interrupted = new Set<unknown>(['aborted_streaming', 'aborted_tools']);

/** Such messages are the CLI's words, not the model's. */
export function toFault(message: Fields): Fault | undefined {
  const kind = textAt(message, 'error');
  const inner = fieldsAt(message, 'message');
  if (inner.model !== '<synthetic>' || (kind === undefined && message.is_api_error_message !== true))
    return undefined;
  const status = numberAt(message, 'api_error_status');
  return { kind, detail: wordsOf(inner), ...(status !== undefined && { status }) };
}

export function toEnded(message: Fields, fault: Fault | undefined): Ended {
  // A process that fails early reports a zero that is no count: a resumed conversation may have cost more before.
  const totalCostUsd = numberAt(message, 'total_cost_usd') || undefined;
  const totalUsage = toTotal(fieldsAt(message, 'modelUsage'));
  return {
    outcome: toOutcome(message, fault),
    ...(totalCostUsd !== undefined && { totalCostUsd }),
    ...(totalUsage && { totalUsage }),
  };
}

function toOutcome(message: Fields, fault: Fault | undefined): TurnOutcome {
  const reason = textAt(message, 'terminal_reason');
  if (interrupted.has(reason)) return { outcome: 'interrupted' };
  const error = toError(message, fault);
  const limit = toLimit(error);
  if (limit) return { outcome: 'limit', error: limit };
  const isWell = message.subtype === 'success' && message.is_error !== true && error.stopReason !== 'refusal';
  return isWell ? { outcome: 'completed' } : { outcome: 'failed', error: toCliFailure(error) };
}

function toError(message: Fields, fault: Fault | undefined): CliError {
  const errors = Array.isArray(message.errors) ? message.errors : [];
  const detail = textAt(message, 'result') || errors.find((error) => typeof error === 'string');
  const status = numberAt(message, 'api_error_status') ?? fault?.status;
  return {
    kind: fault?.kind,
    subtype: textAt(message, 'subtype'),
    reason: textAt(message, 'terminal_reason'),
    stopReason: textAt(message, 'stop_reason'),
    apiError: textAt(message, 'api_error'),
    detail: detail || fault?.detail || '',
    ...(status !== undefined && { status }),
  };
}

function toTotal(models: Fields): Usage | undefined {
  const sum = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  for (const model of Object.values(models).filter(isFields)) {
    sum.input_tokens += numberAt(model, 'inputTokens') ?? 0;
    sum.output_tokens += numberAt(model, 'outputTokens') ?? 0;
    sum.cache_read_input_tokens += numberAt(model, 'cacheReadInputTokens') ?? 0;
    sum.cache_creation_input_tokens += numberAt(model, 'cacheCreationInputTokens') ?? 0;
  }
  return toUsage(sum);
}

function wordsOf(inner: Fields): string {
  const first = Array.isArray(inner.content) ? inner.content.find(isFields) : undefined;
  return (first && textAt(first, 'text')) ?? '';
}
