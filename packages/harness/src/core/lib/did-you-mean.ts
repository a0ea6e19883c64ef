// "Did you mean …?": the candidate closest to a mistyped word. Knows nothing of where the words come from.

const maxWordLength = 64;
/** Less of a word could be the start of anything. */
const minPrefixLength = 3;

/** The closest candidate, or undefined when none is close enough to be a likely slip. */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, maxWordLength).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.slice(0, maxWordLength).toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The closest candidate, or the shortest that the word is the start of. */
export function findNearestOrLonger(word: string, candidates: readonly string[]): string | undefined {
  const start = word.toLowerCase();
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(start));
  const [shortest] = longer.sort((one, other) => one.length - other.length);
  return findNearest(word, candidates) ?? (start.length < minPrefixLength ? undefined : shortest);
}

/** Ready to append to a sentence: ` Did you mean "port"?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = findNearest(word, candidates);
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = cell(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const added = cell(current, column - 1) + 1;
      const removed = cell(last, column) + 1;
      const swaps = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = swaps ? cell(beforeLast, column - 2) + 1 : replaced;
      current.push(Math.min(replaced, added, removed, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return cell(last, to.length);
}

function cell(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
