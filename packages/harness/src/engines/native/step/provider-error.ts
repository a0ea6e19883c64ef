// Reads what a provider's library threw, or sent as an error in its stream, by its shape: status, words, names, how long
// to wait. Needs none of the libraries' code, and judges nothing.
import { toBriefText } from '../../provider-failures.ts';

export interface ProviderError {
  status?: number;
  detail: string;
  /** The provider's own codes and types for it, in lower case. */
  names: string;
  /** How long the provider asks to wait. */
  headers?: Record<string, string>;
  /** No answer came at all, or so the library says. */
  isRetryable: boolean;
  /** The stream ended, or its connection broke, in the middle. */
  isCut: boolean;
}

const statuses: readonly [RegExp, number][] = [
  [/insufficient_quota|billing/, 402],
  [/rate_limit|too_many_requests|resource_exhausted/, 429],
  [/overload|unavailable|capacity/, 503],
  [/authentication|invalid_api_key|unauthenticated/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/context_length|invalid_request|invalid_argument|bad_request/, 400],
  [/server_error|internal|timeout/, 500],
];

export function readProviderError(thrown: unknown): ProviderError {
  const error = toFields(thrown);
  if (!error) return { detail: toBriefText(String(thrown)), names: '', isRetryable: false, isCut: false };
  const inner = toFields(toFields(error.data)?.error) ?? toFields(error.data) ?? {};
  const detail = toBriefText(textOf(error.message) || textOf(inner.message));
  const details = Array.isArray(inner.details) ? inner.details.map(toFields) : [];
  const reasons = details.map((each) => each?.reason);
  const names = [error.code, error.type, inner.code, inner.type, inner.status, ...reasons]
    .filter(isName)
    .join(' ')
    .toLowerCase();
  const status = toStatus(error, inner, names);
  const headers = toHeaders(error.responseHeaders, details);
  return {
    ...(status !== undefined && { status }),
    detail,
    names,
    isRetryable: error.isRetryable === true,
    isCut: isCut(error, detail),
    ...(headers && { headers }),
  };
}

/** What was thrown by a library has a status of its own; an error inside a stream may only have a name. */
function toStatus(error: Fields, inner: Fields, names: string): number | undefined {
  // Google calls a wrong key a bad request.
  if (/api_key_invalid/.test(names)) return 401;
  if (typeof error.statusCode === 'number') return error.statusCode;
  const [code] = [error.code, inner.code].map(Number).filter((each) => each >= 300 && each < 600);
  if (code !== undefined) return code;
  // Codes of the system (ECONNRESET) are no provider's.
  if (thrownBySystem(error)) return undefined;
  return statuses.find(([name]) => name.test(names))?.[1];
}

function thrownBySystem(error: Fields): boolean {
  return error instanceof Error && typeof error.code === 'string' && /^[A-Z_]+$/.test(error.code);
}

function isCut(error: Fields, detail: string): boolean {
  if (/without a finish reason/i.test(detail)) return true;
  return error instanceof TypeError && /terminated|socket|network|other side closed/i.test(detail);
}

/** Google writes into the body how long to wait. */
function toHeaders(
  headers: unknown,
  details: readonly (Fields | undefined)[],
): Record<string, string> | undefined {
  const delays = details.map((each) => /^(\d+(?:\.\d+)?)s$/.exec(textOf(each?.retryDelay))?.[1]);
  const seconds = delays.find((each) => each !== undefined);
  const given = toFields(headers);
  if (!given && seconds === undefined) return undefined;
  const texts = Object.entries(given ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { ...(seconds !== undefined && { 'retry-after': seconds }), ...Object.fromEntries(texts) };
}

type Fields = Record<string, unknown>;

function toFields(value: unknown): Fields | undefined {
  // Any object can be asked for its fields; each is checked where it is used.
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isName(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
