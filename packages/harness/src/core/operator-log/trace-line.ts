// One line of a wire trace: who said what, without secrets and without bulk. Pure.
import { type Redact, redacted } from './redact.ts';

/** Of one text; the rest is counted. */
const maxTextLength = 4_000;
/** Of one line in the file. */
const maxLineLength = 256 * 1024;
const maxDepth = 60;
/** Texts that come in pieces. A secret cut in two would pass unseen, and the whole follows in one message anyway. */
const pieces = new Set(['text', 'partial_json', 'thinking', 'signature']);
/** Whose account it is, is nobody's business who reads a trace. */
const personal = new Set(['account', 'email', 'organization']);

export type Direction = 'in' | 'out';

/** `in` is what the engine's program was told, `out` what it said. */
export function toTraceLine(at: string, direction: Direction, line: string, redact: Redact): string {
  const json = JSON.stringify({ at, direction, ...toTracedMessage(line, redact) });
  if (json.length <= maxLineLength) return json;
  return JSON.stringify({ at, direction, note: `a line of ${line.length} characters omitted` });
}

function toTracedMessage(line: string, redact: Redact): { message: unknown } | { text: unknown } {
  const message = parse(line);
  if (message === undefined) return { text: shorten(String(redact(line))) };
  return { message: toShown(redact(message), redact) };
}

function toShown(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return shorten(redactInside(value, redact));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[deeper than is shown]';
  if (Array.isArray(value)) return value.map((each) => toShown(each, redact, depth + 1));
  const isPiece = 'type' in value && typeof value.type === 'string' && value.type.endsWith('_delta');
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (personal.has(key)) return [key, redacted];
      if (isPiece && pieces.has(key) && typeof each === 'string') return [key, `[${each.length} characters]`];
      return [key, toShown(each, redact, depth + 1)];
    }),
  );
}

/** The result of a tool is JSON inside a text: names of secrets count there, too. */
function redactInside(text: string, redact: Redact): string {
  if (!/^\s*[[{]/.test(text)) return text;
  const inner = parse(text);
  return inner === undefined ? text : JSON.stringify(redact(inner));
}

function shorten(text: string): string {
  if (text.length <= maxTextLength) return text;
  const kept = text.slice(0, maxTextLength).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… [${text.length - kept.length} more characters]`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
