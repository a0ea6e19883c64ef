// How tools are called at /mcp. A client puts `mcp__toolyard__` before what we list, so our own tools are listed without
// it and end up under their one name; tools of another server keep their full name, which nothing of ours can be.

const own = 'mcp__toolyard__';
const full = 'mcp__';

export function toListedName(fullName: string): string {
  const short = fullName.startsWith(own) ? fullName.slice(own.length) : fullName;
  // A short name that reads like a full one would be taken for it.
  return short.startsWith(full) ? fullName : short;
}

/** Takes a full name too: whoever has read the audit or a role file may use what is written there. */
export function toFullName(listedName: string): string {
  return listedName.startsWith(full) ? listedName : `${own}${listedName}`;
}
