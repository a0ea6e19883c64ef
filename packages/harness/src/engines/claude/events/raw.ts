// What the CLI says beside the conversation, as `raw` events: bounded in size, and with a sentence in `note` where a
// person should know. Everything unknown ends up here.
import type { EngineEvent } from '@toolyard/sdk';
import { toBounded } from '../lib/bounded.ts';
import { type Fields, fieldsAt, isFields, listAt, numberAt, textAt } from '../lib/untyped-fields.ts';

export function toRaw(message: unknown, note?: string): EngineEvent {
  const bounded = toBounded(isFields(message) ? withoutIds(message) : message);
  const noted = note && typeof bounded === 'object' && bounded !== null ? { note, ...bounded } : bounded;
  return { type: 'raw', data: { engine: 'claude', message: noted } };
}

/** Our own log has these. */
function withoutIds({ uuid, session_id, ...rest }: Fields): Fields {
  return rest;
}

/** Signs of life, and what other events already say. */
const silent = new Set([
  'requesting',
  'thinking_tokens',
  'session_state_changed',
  'control_request_progress',
  'hook_started',
  'hook_progress',
  'hook_response',
  'task_progress',
  'task_updated',
  'background_tasks_changed',
  'commands_changed',
  'files_persisted',
]);

/** A message of type `system`, `init` aside. */
export function toSystemEvents(message: Fields): EngineEvent[] {
  const subtype = textAt(message, 'subtype') ?? '';
  if (silent.has(subtype)) return [];
  if (subtype === 'status') return toStatusEvents(message);
  if (subtype === 'compact_boundary') return [toRaw(message, compactedNote(message))];
  if (subtype === 'api_retry') return [toRaw(message, retryNote(message))];
  return [toRaw(message, textAt(message, 'content') || textAt(message, 'text'))];
}

/** The limit of a subscription, when it is near or reached. */
export function toRateLimitEvent(message: Fields): EngineEvent {
  const info = fieldsAt(message, 'rate_limit_info');
  const resetsAt = numberAt(info, 'resetsAt');
  const until = resetsAt === undefined ? '' : ` It resets at ${toTime(resetsAt)}.`;
  if (info.status === 'rejected') return toRaw(message, `The limit of the Claude plan is used up.${until}`);
  const isNear = info.status === 'allowed_warning';
  return toRaw(message, isNear ? `The limit of the Claude plan is nearly used up.${until}` : undefined);
}

/** From seconds since 1970, which another program may have got wrong. */
function toTime(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) ? 'an unknown time' : time.toISOString();
}

/** What a session can do: worth telling once, and again when it changes. */
export function toInitEvent(message: Fields): EngineEvent {
  const tools = Array.isArray(message.tools) ? message.tools : [];
  const servers = listAt(message, 'mcp_servers').map(({ name, status, source }) => ({
    name,
    status,
    source,
  }));
  return toRaw({
    type: 'system',
    subtype: 'init',
    model: message.model,
    version: message.claude_code_version,
    apiKeySource: message.apiKeySource,
    tools,
    servers,
  });
}

function toStatusEvents(message: Fields): EngineEvent[] {
  if (message.status === 'compacting')
    return [toRaw(message, 'The conversation is being summarised to make room.')];
  const wrong = textAt(message, 'compact_error');
  if (wrong || message.compact_result === 'failed')
    return [toRaw(message, `The conversation could not be summarised${wrong ? `: ${wrong}` : ''}.`)];
  return [];
}

function compactedNote(message: Fields): string {
  const sizes = fieldsAt(message, 'compact_metadata');
  const [before, after] = [numberAt(sizes, 'pre_tokens'), numberAt(sizes, 'post_tokens')];
  const numbers = before === undefined || after === undefined ? '' : ` (${before} → ${after} tokens)`;
  return `The conversation was summarised to make room${numbers}. The model no longer sees details of its older part.`;
}

function retryNote(message: Fields): string {
  const status = numberAt(message, 'error_status');
  const cause = status === undefined ? 'could not be reached or closed the connection' : `failed (${status})`;
  const seconds = ((numberAt(message, 'retry_delay_ms') ?? 0) / 1_000).toFixed(1);
  const [attempt, max] = [numberAt(message, 'attempt') ?? 1, numberAt(message, 'max_retries')];
  return `The model’s provider ${cause}; retrying in ${seconds} s (${attempt}${max ? ` of ${max}` : ''}).`;
}
