// Holds the documents to the code: paths, links, commands, promises and lengths. Reads all, changes nothing.
import type { Command } from '../packages/harness/src/cli/command-line/arguments.ts';
import { commands } from '../packages/harness/src/cli/commands.ts';
import { findBrokenCommands } from './docs/commands.ts';
import { parsePage } from './docs/markdown.ts';
import { findBrokenPaths, toTree } from './docs/paths.ts';
import type { Problem } from './docs/problem.ts';
import { findBrokenPromises } from './docs/promises.ts';
import { findStaleReference } from './docs/reference.ts';
import { findBrokenTours, findWrongPicture } from './docs/tour.ts';
import { rooms } from './layers/rules.ts';
import { listFiles, readFiles, type SourceFile } from './source/repository.ts';

export interface Documents {
  /** Every path of the repository. */
  paths: readonly string[];
  /** The documents, the tests, the sources and the root package.json. */
  files: readonly SourceFile[];
  table: readonly Command[];
}

const promisesPath = 'docs/promises.md';
const required = [
  'README.md',
  'ARCHITECTURE.md',
  'GLOSSARY.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'LICENSE',
  promisesPath,
];
const coreRooms = rooms['packages/harness/src/core'] ?? [];
const lineLimits: Record<string, number> = { 'ARCHITECTURE.md': 200, 'AGENTS.md': 80 };

/** Pure: everything it knows is in its argument. */
export function findProblems({ paths, files, table }: Documents): Problem[] {
  const tree = toTree(paths);
  const pages = new Map(files.filter(isDocument).map(({ path, text }) => [path, parsePage(path, text)]));
  const known = { scripts: parseScripts(files), table };
  const promises = files.find(({ path }) => path === promisesPath);
  return [
    ...required
      .filter((path) => !paths.includes(path))
      .map((path) => ({ path, line: 1, message: 'this document is missing' })),
    ...[...pages.values()].flatMap((page) => [
      ...findBrokenPaths(page, tree, pages),
      ...findBrokenCommands(page, known),
      ...findBrokenTours(page, files),
      ...findWrongPicture(page, coreRooms),
      ...checkLength(page.path, page.lineCount),
    ]),
    ...(promises ? findBrokenPromises(promises, files.filter(isTest)) : []),
    ...findStaleReference(files),
  ];
}

function checkLength(path: string, lineCount: number): Problem[] {
  const limit = lineLimits[path];
  if (limit === undefined || lineCount <= limit) return [];
  return [{ path, line: limit + 1, message: `${lineCount} lines; ${limit} are enough` }];
}

function parseScripts(files: readonly SourceFile[]): string[] {
  const text = files.find(({ path }) => path === 'package.json')?.text ?? '{}';
  // Our own package.json, which npm has already read.
  const manifest = JSON.parse(text) as { scripts?: Record<string, string> };
  return Object.keys(manifest.scripts ?? {});
}

function isDocument({ path }: { path: string }): boolean {
  return required.includes(path) ? path.endsWith('.md') : /^docs\/.*\.md$|(?:^|\/)README\.md$/.test(path);
}

function isSource(path: string): boolean {
  return /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path);
}

function isTest({ path }: { path: string }): boolean {
  return /^packages\/[^/]+\/test\/.*\.ts$/.test(path);
}

if (import.meta.main) {
  const paths = listFiles();
  const read = paths.filter(
    (path) => isDocument({ path }) || isTest({ path }) || isSource(path) || path === 'package.json',
  );
  const found = findProblems({ paths, files: readFiles(read), table: commands });
  for (const { path, line, message } of found) console.error(`${path}:${line} ${message}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
