// How the scripted model says no: Anthropic's error body and the status it travels with. A value, never thrown.

export class Refusal {
  readonly status: number;
  readonly message: string;
  /** Seconds, as the retry-after header says it. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    this.status = status;
    this.message = message;
    this.retryAfter = retryAfter;
  }
}

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const messages: Record<number, string> = {
  401: 'invalid x-api-key',
  429: 'This request would exceed your rate limit.',
  500: 'Internal server error',
  529: 'Overloaded',
};

export function toErrorBody({ status, message }: Refusal) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message } };
}

/** What the real service would say with this status. */
export function defaultMessage(status: number): string {
  return messages[status] ?? `The scenario asked for status ${status}.`;
}

export function invalid(message: string): Refusal {
  return new Refusal(400, message);
}
