// Anything → plain JSON values, bounded in depth, width and length: errors with their causes, headers, maps, and what
// throws when it is looked at. Pure.

const deepest = 8;
const most = 100;
/** More than is ever shown, so that a secret cut in two at its end is never seen. */
const longestText = 64 * 1024;

export function toPlain(value: unknown, above: readonly object[] = []): unknown {
  if (typeof value === 'string') return value.slice(0, longestText);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'symbol' || typeof value === 'function') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  if (above.length >= deepest) return '[deeper than is shown]';
  try {
    return toPlainObject(value, [...above, value]);
  } catch {
    return '[cannot be shown]';
  }
}

function toPlainObject(value: object, above: readonly object[]): unknown {
  if (value instanceof Error) return toPlainError(value, above);
  if (value instanceof Date) return String(value.getTime() >= 0 ? value.toISOString() : value);
  if (value instanceof URL) return value.href.slice(0, longestText);
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return '[promise]';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
    return fromEntries(
      [...value].map(([key, each]) => [String(key), each]),
      above,
    );
  }
  if (Array.isArray(value) || value instanceof Set) return toPlainList([...value], above);
  return fromEntries(Object.entries(value), above);
}

/** Name, words and stack are no ordinary properties of an error, and so would be passed over. */
function toPlainError(error: Error, above: readonly object[]): unknown {
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
    above,
  );
}

function toFrames(stack: unknown): string {
  const text = String(stack).slice(0, longestText);
  return text.slice(Math.max(0, text.search(/^[ \t]{1,20}at /m))).replace(/^[ \t]+/gm, '');
}

function toPlainList(list: readonly unknown[], above: readonly object[]): unknown[] {
  const shown = list.slice(0, most).map((each) => toPlain(each, above));
  return list.length > most ? [...shown, `[${list.length - most} more]`] : shown;
}

function fromEntries(entries: readonly (readonly [string, unknown])[], above: readonly object[]): object {
  const shown = entries
    .filter(([, each]) => each !== undefined)
    .slice(0, most)
    .map(([key, each]) => [key.slice(0, 200), toPlain(each, above)] as const);
  const left = entries.length - most;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}
