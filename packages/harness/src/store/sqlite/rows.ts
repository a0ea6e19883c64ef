// Cuts rows for multi-row INSERTs. Four sizes only, so that few statements are prepared. Eight at most: SQLite copies
// each page that such a statement touches, and past 64 KB it puts the copies into a temporary file.
const sizes = [8, 4, 2, 1] as const;

export function* inRows<T>(rows: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const size of sizes) {
    for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size);
  }
}
