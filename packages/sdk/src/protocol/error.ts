// Every way Toolyard says no. One error class, one closed list of codes; only the HTTP layer knows status numbers.
import { z } from 'zod';

export const ErrorCode = z.enum([
  'invalid_request',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'not_found',
  'method_not_allowed',
  'upgrade_required',
  'session_not_found',
  'approval_not_found',
  'question_not_found',
  'grant_not_found',
  'token_not_found',
  'output_not_found',
  'already_answered',
  'too_many_pending',
  'too_many_readers',
  'person_only',
  'too_many_attempts',
  'untrusted',
  'unknown_role',
  'unknown_engine',
  'unknown_model',
  'idempotency_conflict',
  'nothing_to_retry',
  'session_busy',
  'message_not_found',
  'invalid_cursor',
  'invalid_config',
  'usage',
  'port_in_use',
  'home_in_use',
  'home_unusable',
  'owner_lost',
  'schema_newer',
  'database_corrupt',
  'storage_failed',
  'backup_failed',
  'backup_invalid',
  'backup_running',
  'home_not_empty',
  'server_unreachable',
  'shutting_down',
  'closed',
  'restarted',
  'interrupted',
  'step_limit',
  'agent_limit',
  'time_limit',
  'agent_not_found',
  'agent_ended',
  'not_your_agent',
  'task_not_found',
  'task_exists',
  'task_closed',
  'task_busy',
  'run_not_found',
  'not_a_repository',
  'worktree_failed',
  'killed',
  'budget_limit',
  'provider_auth',
  'provider_overloaded',
  'provider_rejected',
  'provider_failed',
  'stream_cut',
  'malformed_response',
  'unknown_tool',
  'invalid_input',
  'tool_failed',
  'tool_denied',
  'process_failed',
  'session_gone',
  'transcript_damaged',
  'internal',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** What a failed turn, tool or request carries: a code for programs, a sentence for people. */
export const Failure = z.object({
  code: ErrorCode.catch('internal'),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type Failure = z.infer<typeof Failure>;

export const ErrorBody = z.object({ error: Failure });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The only error class that crosses a boundary on purpose. `message` says what happened and what to do. */
export class ToolyardError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolyardError';
    this.code = code;
    this.data = options.data;
  }

  toFailure(): Failure {
    return { code: this.code, message: this.message, ...(this.data && { data: this.data }) };
  }
}

/** Turns anything thrown into a failure a person may see; details of an unexpected throw stay in the log. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof ToolyardError) return thrown.toFailure();
  return { code: 'internal', message: 'Internal error in Toolyard. The server log has the cause.' };
}
