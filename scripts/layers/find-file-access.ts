// Who opens, writes or removes files by their path. Only modules whose files no agent can write may; all others look at
// names, and open files through untrusted-files.
import { lookOnly, opensByPath } from './rules.ts';

export interface FileAccess {
  path: string;
  line: number;
  name: string;
}

const imports = /^import\s+(type\s+)?(\{[^}]*\}|[^'"{]*?)\s+from\s+['"]node:fs(?:\/promises)?['"]/gm;

export function findFileAccess(files: readonly { path: string; text: string }[]): FileAccess[] {
  return files
    .filter(({ path }) => path.startsWith('packages/harness/src/') && !mayOpen(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(imports)].flatMap(({ index, 1: isType, 2: clause = '' }) => {
        const line = text.slice(0, index).split('\n').length;
        const names = isType ? [] : toNames(clause).filter((name) => !lookOnly.has(name));
        return names.map((name) => ({ path, line, name }));
      }),
    );
}

function mayOpen(path: string): boolean {
  return Object.keys(opensByPath).some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
}

function toNames(clause: string): string[] {
  if (!clause.startsWith('{')) return [clause.trim()];
  return clause
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => part.split(/\s+as\s+/)[0] ?? part);
}
