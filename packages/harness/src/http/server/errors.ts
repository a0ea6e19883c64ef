// The only file that knows status numbers: every error code has one here.
import { type ErrorCode, type Failure, ToolyardError, toFailure } from '@toolyard/sdk';
import type { Logger } from '../../core/lib/ports.ts';

const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  invalid_config: 400,
  unknown_role: 400,
  unknown_engine: 400,
  unknown_model: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  session_not_found: 404,
  method_not_allowed: 405,
  upgrade_required: 426,
  approval_not_found: 404,
  question_not_found: 404,
  grant_not_found: 404,
  token_not_found: 404,
  output_not_found: 404,
  person_only: 403,
  already_answered: 409,
  untrusted: 409,
  too_many_pending: 429,
  too_many_readers: 429,
  too_many_attempts: 429,
  agent_not_found: 404,
  task_not_found: 404,
  run_not_found: 404,
  not_your_agent: 403,
  agent_ended: 409,
  task_exists: 409,
  task_closed: 409,
  task_busy: 409,
  agent_limit: 429,
  budget_limit: 429,
  time_limit: 429,
  unknown_tool: 404,
  idempotency_conflict: 409,
  nothing_to_retry: 409,
  backup_running: 409,
  session_busy: 409,
  session_gone: 409,
  message_not_found: 404,
  payload_too_large: 413,
  unsupported_media_type: 415,
  storage_failed: 503,
  backup_failed: 503,
  owner_lost: 503,
  shutting_down: 503,
  closed: 503,
  restarted: 503,
  usage: 400,
  invalid_input: 400,
  not_a_repository: 400,
  backup_invalid: 400,
  tool_denied: 403,
  worktree_failed: 409,
  home_not_empty: 409,
  home_in_use: 409,
  interrupted: 409,
  killed: 409,
  step_limit: 429,
  server_unreachable: 502,
  provider_auth: 502,
  provider_overloaded: 502,
  provider_rejected: 502,
  provider_failed: 502,
  stream_cut: 502,
  malformed_response: 502,
  port_in_use: 500,
  home_unusable: 500,
  schema_newer: 500,
  database_corrupt: 500,
  tool_failed: 500,
  process_failed: 500,
  transcript_damaged: 500,
  internal: 500,
};

/** The error shape, with its status. What was not thrown on purpose goes to the log, and a neutral sentence out. */
export function toErrorResponse(thrown: unknown, logger: Logger): Response {
  const { failure, status } = explain(thrown, logger);
  return Response.json({ error: failure }, { status, headers: toHeaders(status, failure) });
}

/** The same in the shape of JSON-RPC, for a route where that is what clients read. `id`: the request's, if known. */
export function toRpcErrorResponse(thrown: unknown, id: string | number | null, logger: Logger): Response {
  const { failure, status } = explain(thrown, logger);
  const { code, message, data } = failure;
  const error = { code: toRpcCode(code, status), message, data: { code, ...data } };
  return Response.json({ jsonrpc: '2.0', id, error }, { status, headers: toHeaders(status, failure) });
}

function explain(thrown: unknown, logger: Logger): { failure: Failure; status: number } {
  if (!(thrown instanceof ToolyardError)) logger.error('a request failed', { cause: thrown });
  const failure = toFailure(thrown);
  return { failure, status: statuses[failure.code] };
}

/** JSON-RPC knows three kinds of fault: what was sent is no JSON, or no request for us, or we broke. */
function toRpcCode(code: ErrorCode, status: number): number {
  if (code === 'invalid_json') return -32700;
  return status < 500 ? -32600 : -32603;
}

function toHeaders(status: number, { data }: Failure): Record<string, string> {
  // A challenge names an error only when there was something to refuse (RFC 6750, section 3).
  const error = data?.reason === 'invalid_token' ? ', error="invalid_token"' : '';
  if (status === 401) return { 'www-authenticate': `Bearer realm="toolyard"${error}` };
  const seconds = data?.retryAfterSeconds;
  return typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};
}
