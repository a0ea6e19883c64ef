// The files of this repository as plain data, so that every check is a pure function over them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  path: string;
  text: string;
}

export const root = join(import.meta.dirname, '../..');

const skipped = new Set(['node_modules', 'dist', '.cache', '.git']);

/** Paths of all files, in order; what installing or building leaves behind is not there. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (skipped.has(entry.name)) return [];
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      return entry.isDirectory() ? listFiles(path) : [path];
    });
}

export function readFiles(paths: readonly string[]): SourceFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Tests and what they share. */
export function isOfTests(path: string): boolean {
  return /^(packages\/[^/]+|scripts)\/test\/.*\.[cm]?[jt]sx?$/.test(path);
}

/** Product code: what the layers and the shape are about. */
export function isSource(path: string): boolean {
  return /^packages\/[^/]+\/src\/.*\.[cm]?[jt]sx?$/.test(path);
}
