// Which files a call of a built-in tool touches, from its input. The input is whatever a model sent: nothing throws, and
// a path that cannot be read off it becomes one that is refused.
import type { TouchedPath } from '@toolyard/sdk';

type Access = TouchedPath['access'];

/** No file has this name, so every judge refuses it. */
const unreadable = '\0';

/** The file under this key. */
export function fileAt(key: string, ...access: Access[]) {
  return (input: unknown): TouchedPath[] => {
    const path = textAt(input, key) ?? unreadable;
    return access.map((each) => ({ path, access: each }));
  };
}

/** The folder that is searched, and what the pattern reaches from there. */
export function searchedByPattern(input: unknown): TouchedPath[] {
  const folder = folderOf(input);
  const pattern = textAt(input, 'pattern') ?? unreadable;
  return [folder, join(folder, pattern)].map(toRead);
}

/** The file or folder that is searched, and what its filter names. */
export function searchedByFilter(input: unknown): TouchedPath[] {
  const folder = folderOf(input);
  const wanted = toFilters(input).filter((glob) => !glob.startsWith('!'));
  return [folder, ...wanted.map((glob) => join(folder, glob))].map(toRead);
}

/** The globs of a search's filter, taken apart as the CLI does it: at spaces, and at commas outside of braces. */
export function toFilters(input: unknown): string[] {
  const filter = valueAt(input, 'glob');
  if (filter === undefined) return [];
  if (typeof filter !== 'string') return [unreadable];
  const inBraces = (part: string) => part.includes('{') && part.includes('}');
  const parts = filter.split(/\s+/).flatMap((part) => (inBraces(part) ? [part] : part.split(',')));
  return parts.filter((part) => part !== '');
}

/** Without a folder the search begins where the session works. */
function folderOf(input: unknown): string {
  return valueAt(input, 'path') === undefined ? '.' : (textAt(input, 'path') ?? unreadable);
}

export function textAt(input: unknown, key: string): string | undefined {
  const value = valueAt(input, key);
  return typeof value === 'string' ? value : undefined;
}

export function valueAt(input: unknown, key: string): unknown {
  if (typeof input !== 'object' || input === null) return undefined;
  return Object.getOwnPropertyDescriptor(input, key)?.value;
}

function join(folder: string, pattern: string): string {
  return /^(?:[/~\\]|[a-z]:)/i.test(pattern) ? pattern : `${folder}/${pattern}`;
}

function toRead(path: string): TouchedPath {
  return { path, access: 'read' };
}
