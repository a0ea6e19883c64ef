// Does every link, anchor and repository path that a page names exist?
import { posix } from 'node:path';
import type { Page, Part } from './markdown.ts';
import type { Problem } from './problem.ts';
import { toShellCommands } from './shell.ts';

export interface Tree {
  /** Every file and folder, without trailing slashes. */
  paths: ReadonlySet<string>;
  /** First segments of those paths. */
  topLevel: ReadonlySet<string>;
}

const pathLike = /^[\w@.*/-]+$/;
const sourceName = /^[a-z0-9@._*/-]+\.(?:[cm]?[jt]s|[jt]sx)$/;

export function toTree(files: readonly string[]): Tree {
  const paths = new Set(['']);
  for (const file of files) {
    for (let path = file; path !== '.'; path = posix.dirname(path)) paths.add(path);
  }
  return { paths, topLevel: new Set(files.map((file) => file.split('/')[0] ?? '')) };
}

export function findBrokenPaths(page: Page, tree: Tree, pages: ReadonlyMap<string, Page>): Problem[] {
  const named = [...page.spans, ...page.blocks.filter(isShell).flatMap(toWords)];
  return [
    ...page.links.flatMap((part) => checkLink(page, part, tree, pages)),
    ...named
      .filter(({ text }) => !isThere(text, tree))
      .map(({ text, line }) => ({ path: page.path, line, message: `no such path: ${text}` })),
  ];
}

export function isShell(block: { language: string }): boolean {
  return ['sh', 'bash', 'shell', 'zsh', 'console'].includes(block.language);
}

function checkLink(
  page: Page,
  { text, line }: Part,
  tree: Tree,
  pages: ReadonlyMap<string, Page>,
): Problem[] {
  if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(text)) return [];
  const [file = '', anchor] = text.replaceAll('%20', ' ').split('#');
  const base = file.startsWith('/') ? '' : posix.dirname(page.path);
  const target = file === '' ? page.path : toPlain(posix.join(base, file));
  const problem = (message: string) => [{ path: page.path, line, message }];
  if (!tree.paths.has(target)) return problem(`no such path: ${text}`);
  const isKnown = anchor === undefined || !pages.has(target) || pages.get(target)?.anchors.has(anchor);
  return isKnown ? [] : problem(`no such heading: ${text}`);
}

/** True too for what is no path of ours: a placeholder, a URL path, a package name. */
function isThere(text: string, tree: Tree): boolean {
  const name = text.replace(/:\d+$/, '').replace(/^\.\//, '');
  if (!pathLike.test(name)) return true;
  const isRooted = name.includes('/') && tree.topLevel.has(name.split('/')[0] ?? '');
  if (isRooted) return exists(toPlain(posix.normalize(name)), tree);
  return !sourceName.test(name) || endsSomePath(name, tree);
}

function exists(path: string, tree: Tree): boolean {
  if (!path.includes('*')) return tree.paths.has(path);
  const pattern = new RegExp(`^${toPattern(path)}$`);
  return [...tree.paths].some((candidate) => pattern.test(candidate));
}

/** A source file may be named from inside its layer: `core/log/log.ts`. */
function endsSomePath(name: string, tree: Tree): boolean {
  const pattern = new RegExp(`(?:^|/)${toPattern(name)}$`);
  return [...tree.paths].some((candidate) => pattern.test(candidate));
}

function toPattern(glob: string): string {
  return glob
    .replace(/[.+^$()|[\]{}\\-]/g, '\\$&')
    .replace(/\*\*\/?/g, '\u0000')
    .replace(/\*/g, '[^/]*')
    .replaceAll('\u0000', '.*');
}

function toPlain(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').replace(/^\.$/, '');
}

/** Words of a shell block that name a path from the repository's root. */
function toWords(block: Part): Part[] {
  return toShellCommands(block)
    .flatMap(({ words, line }) => words.map((text) => ({ text, line })))
    .filter(({ text }) => text.includes('/'));
}
