// What the CLI's own search may come across. A judge sees the folder that is searched and not the files in it, so likely
// secrets are left out of the search, and folders that nobody may read are made unreadable to the CLI itself.
import { normalize } from 'node:path';
import { findSecret, secretGlobs } from '@toolyard/sdk';
import { searchedByFilter, toFilters } from './touched-paths.ts';

/**
 * A search that passes likely secrets by. One that names a secret stays as it is: that one was judged by its name. Only
 * narrows; returns the input itself where there is nothing to do.
 */
export function excludeSecrets(tool: string, input: unknown): unknown {
  if (tool !== 'Grep' || typeof input !== 'object' || input === null) return input;
  // Shortened first, as the judge does: `.ssh/..` names no secret.
  const named = searchedByFilter(input).map(({ path }) => normalize(path));
  if (named.some((path) => findSecret(path) !== undefined)) return input;
  const filters = [...toFilters(input), ...secretGlobs.map((glob) => `!${glob}`)];
  return { ...input, glob: filters.join(' ') };
}

/** Rules for the CLI's settings that keep its tools, its search included, out of these folders. Absolute paths. */
export function toDenyRules(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const pattern = `/${folder.replace(/[\\*?[\]{}()!#]/g, '\\$&')}/**`;
    return [`Read(${pattern})`, `Edit(${pattern})`];
  });
}
