// Keeps what goes from a transcript into the log of a size that every reader can bear. What is left out is said, with
// where the whole lies.

const maxTextLength = 256 * 1024;
const maxOutputLength = 48 * 1024;

/** Where an entry lies, for people. */
export interface SourceLocation {
  path: string;
  offset: number;
}

export function boundText(text: string, where: SourceLocation, maxLength = maxTextLength): string {
  if (text.length <= maxLength) return text;
  const tail = Math.floor(maxLength / 8);
  const head = text.slice(0, maxLength - tail).toWellFormed();
  return `${head}\n${leftOut(text.length - maxLength, where)}\n${text.slice(-tail).toWellFormed()}`;
}

export function boundOutput(text: string, where: SourceLocation): { output: string; truncated?: true } {
  const output = boundText(text, where, maxOutputLength);
  return output === text ? { output } : { output, truncated: true };
}

/** Any JSON of a foreign hand: as it is, unless it is too large or too deep to be stored. */
export function boundJson(value: unknown, where: SourceLocation): unknown {
  const length = lengthOf(value);
  return length !== undefined && length <= maxTextLength ? value : { leftOut: leftOut(length, where) };
}

/** Nothing for what is nested too deeply to be written down again. */
function lengthOf(value: unknown): number | undefined {
  try {
    return (JSON.stringify(value) ?? '').length;
  } catch {
    return undefined;
  }
}

function leftOut(length: number | undefined, { path, offset }: SourceLocation): string {
  const what = length === undefined ? 'Something nested too deeply' : `${length} characters`;
  return `[${what} left out here; the whole is in ${path}, in the line at byte ${offset}]`;
}
