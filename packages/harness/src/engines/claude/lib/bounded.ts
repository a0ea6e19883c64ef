// A copy of a foreign value that is plain JSON and small, whatever the value is: long texts and lists lose their
// middle or end, and say so.

const maxTextLength = 1_000;
const maxEntries = 100;
const maxLevels = 8;
/** Of all texts and keys of one value together. */
const maxCharacters = 16_000;

export function toBounded(value: unknown): unknown {
  return copy(value, 0, { left: maxCharacters });
}

interface Room {
  left: number;
}

function copy(value: unknown, level: number, room: Room): unknown {
  if (typeof value === 'string') return cut(value, room);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return null;
  if (level >= maxLevels || room.left <= 0) return '…';
  return Array.isArray(value) ? copyList(value, level, room) : copyFields(value, level, room);
}

function copyList(list: unknown[], level: number, room: Room): unknown[] {
  const kept = list.slice(0, maxEntries).map((item) => copy(item, level + 1, room));
  return list.length > maxEntries ? [...kept, `… ${list.length - maxEntries} more`] : kept;
}

function copyFields(fields: object, level: number, room: Room): Record<string, unknown> {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const kept = pairs
    .slice(0, maxEntries)
    .map(([key, value]) => [cut(key, room), copy(value, level + 1, room)] as const);
  const more = pairs.length - maxEntries;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more`]] : kept);
}

function cut(text: string, room: Room): string {
  const max = Math.max(0, Math.min(maxTextLength, room.left));
  room.left -= Math.min(text.length, max) + 1;
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}
