// Anything → plain JSON values, bounded in depth, width and length: errors with their causes, headers, maps, and what
// throws when it is looked at. Pure.

const maxDepth = 8;
const maxEntries = 100;
/** More than is ever shown, so that a secret cut in two at its end is never seen. */
const maxTextLength = 64 * 1024;

export function toJsonSafe(value: unknown, ancestors: readonly object[] = []): unknown {
  if (typeof value === 'string') return value.slice(0, maxTextLength);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'symbol' || typeof value === 'function') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length >= maxDepth) return '[deeper than is shown]';
  try {
    return toJsonSafeObject(value, [...ancestors, value]);
  } catch {
    return '[cannot be shown]';
  }
}

function toJsonSafeObject(value: object, ancestors: readonly object[]): unknown {
  if (value instanceof Error) return toJsonSafeError(value, ancestors);
  if (value instanceof Date) return String(value.getTime() >= 0 ? value.toISOString() : value);
  if (value instanceof URL) return value.href.slice(0, maxTextLength);
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return '[promise]';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
    return fromEntries(
      [...value].map(([key, each]) => [String(key), each]),
      ancestors,
    );
  }
  if (Array.isArray(value) || value instanceof Set) return toJsonSafeList([...value], ancestors);
  return fromEntries(Object.entries(value), ancestors);
}

/** Name, words and stack are no ordinary properties of an error, and so would be passed over. */
function toJsonSafeError(error: Error, ancestors: readonly object[]): unknown {
  const { name, message, stack, cause } = error;
  const errors = 'errors' in error ? { errors: error.errors } : {};
  const rest = Object.entries(error).filter(([key]) => !['name', 'message', 'stack', 'cause'].includes(key));
  return fromEntries(
    Object.entries({
      name,
      message,
      ...Object.fromEntries(rest),
      ...errors,
      // The first line of a stack says name and message again.
      ...(stack !== undefined && { stack: toFrames(stack) }),
      ...(cause !== undefined && { cause }),
    }),
    ancestors,
  );
}

function toFrames(stack: unknown): string {
  const text = String(stack).slice(0, maxTextLength);
  return text.slice(Math.max(0, text.search(/^[ \t]{1,20}at /m))).replace(/^[ \t]+/gm, '');
}

function toJsonSafeList(list: readonly unknown[], ancestors: readonly object[]): unknown[] {
  const shown = list.slice(0, maxEntries).map((each) => toJsonSafe(each, ancestors));
  return list.length > maxEntries ? [...shown, `[${list.length - maxEntries} more]`] : shown;
}

function fromEntries(entries: readonly (readonly [string, unknown])[], ancestors: readonly object[]): object {
  const shown = entries
    .filter(([, each]) => each !== undefined)
    .slice(0, maxEntries)
    .map(([key, each]) => [key.slice(0, 200), toJsonSafe(each, ancestors)] as const);
  const left = entries.length - maxEntries;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}
