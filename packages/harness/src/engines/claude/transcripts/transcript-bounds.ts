// Keeps what goes from a transcript into the log of a size that every reader can bear. What is left out is said, with
// where the whole lies.

const longestText = 256 * 1024;
const longestOutput = 48 * 1024;

/** Where an entry lies, for people. */
export interface Whereabouts {
  path: string;
  offset: number;
}

export function boundText(text: string, where: Whereabouts, longest = longestText): string {
  if (text.length <= longest) return text;
  const tail = Math.floor(longest / 8);
  const head = text.slice(0, longest - tail).toWellFormed();
  return `${head}\n${leftOut(text.length - longest, where)}\n${text.slice(-tail).toWellFormed()}`;
}

export function boundOutput(text: string, where: Whereabouts): { output: string; truncated?: true } {
  const output = boundText(text, where, longestOutput);
  return output === text ? { output } : { output, truncated: true };
}

/** Any JSON of a foreign hand: as it is, unless it is too large or too deep to be stored. */
export function boundJson(value: unknown, where: Whereabouts): unknown {
  const length = lengthOf(value);
  return length !== undefined && length <= longestText ? value : { leftOut: leftOut(length, where) };
}

/** Nothing for what is nested too deeply to be written down again. */
function lengthOf(value: unknown): number | undefined {
  try {
    return (JSON.stringify(value) ?? '').length;
  } catch {
    return undefined;
  }
}

function leftOut(length: number | undefined, { path, offset }: Whereabouts): string {
  const what = length === undefined ? 'Something nested too deeply' : `${length} characters`;
  return `[${what} left out here; the whole is in ${path}, in the line at byte ${offset}]`;
}
