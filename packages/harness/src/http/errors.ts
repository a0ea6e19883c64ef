// The only file that knows status numbers: every error code has one here.
import { type ErrorCode, type Failure, ToolyardError, toFailure } from '@toolyard/sdk';
import type { Logger } from '../core/ports.ts';

const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  unknown_role: 400,
  unknown_engine: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  session_not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  nothing_to_retry: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  storage_failed: 503,
  owner_lost: 503,
  shutting_down: 503,
};

/** The error shape, with its status. What was not thrown on purpose goes to the log, and a neutral sentence out. */
export function toErrorResponse(thrown: unknown, logger: Logger): Response {
  if (!(thrown instanceof ToolyardError)) logger.error('a request broke', { cause: thrown });
  const failure: Failure = toFailure(thrown);
  const status = statuses[failure.code] ?? 500;
  const headers = status === 401 ? { 'www-authenticate': 'Bearer realm="toolyard"' } : {};
  return Response.json({ error: failure }, { status, headers });
}
