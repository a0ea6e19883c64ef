// A copy of a foreign value that is plain JSON and small, whatever the value is: long texts and lists lose their
// middle or end, and say so.

const longestText = 1_000;
const mostEntries = 100;
const mostLevels = 8;
/** Of all texts and keys of one value together. */
const mostCharacters = 16_000;

export function toBounded(value: unknown): unknown {
  return copy(value, 0, { left: mostCharacters });
}

interface Room {
  left: number;
}

function copy(value: unknown, level: number, room: Room): unknown {
  if (typeof value === 'string') return cut(value, room);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return null;
  if (level >= mostLevels || room.left <= 0) return '…';
  return Array.isArray(value) ? copyList(value, level, room) : copyFields(value, level, room);
}

function copyList(list: unknown[], level: number, room: Room): unknown[] {
  const kept = list.slice(0, mostEntries).map((item) => copy(item, level + 1, room));
  return list.length > mostEntries ? [...kept, `… ${list.length - mostEntries} more`] : kept;
}

function copyFields(fields: object, level: number, room: Room): Record<string, unknown> {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const kept = pairs
    .slice(0, mostEntries)
    .map(([key, value]) => [cut(key, room), copy(value, level + 1, room)] as const);
  const more = pairs.length - mostEntries;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more`]] : kept);
}

function cut(text: string, room: Room): string {
  const most = Math.max(0, Math.min(longestText, room.left));
  room.left -= Math.min(text.length, most) + 1;
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
