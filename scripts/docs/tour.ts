// Follows the tours of ARCHITECTURE.md hop by hop. In a block of the language `tour`, `-> file` says that the file above
// imports this one, and `~> file by Name` that the two meet at a port or on the wire: both use that name.
import { posix } from 'node:path';
import { findImports } from '../layers/find-imports.ts';
import type { SourceFile } from '../source/repository.ts';
import type { Page } from './markdown.ts';
import type { Problem } from './problem.ts';

const step = /^(?:(->|~>) )?([\w./-]+)(?: by (\w+))?$/;

export function findBrokenTours(page: Page, sources: readonly SourceFile[]): Problem[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return page.blocks
    .filter(({ language }) => language === 'tour')
    .flatMap((block) => {
      let from: string | undefined;
      return block.text.split('\n').flatMap((text, index): Problem[] => {
        const line = text.trim();
        if (line === '') return [];
        const [, arrow, name = '', by] = step.exec(line) ?? [];
        const to = toPath(name);
        const message = texts.has(to)
          ? checkHop({ arrow, from, to, by }, texts)
          : `no such step: ${line.slice(0, 100)}`;
        from = to;
        return message ? [{ path: page.path, line: block.line + index, message }] : [];
      });
    });
}

/** Does the picture of the rooms, if a page has one, number those of `core` in their order? */
export function findWrongPicture(page: Page, order: readonly string[]): Problem[] {
  return page.blocks
    .filter(({ language, text }) => language === 'mermaid' && text.includes('subgraph core'))
    .flatMap(({ line, text }) => {
      const drawn = [...text.matchAll(/(\d+) ([a-z][a-z-]*)/g)].map(
        ([, number, name]) => `${number} ${name}`,
      );
      const wanted = order.filter((name) => name !== '.').map((name, index) => `${index + 1} ${name}`);
      const wrong = wanted.find((name, index) => drawn[index] !== name) ?? drawn[wanted.length];
      if (wrong === undefined) return [];
      return [{ path: page.path, line, message: `the picture of core's rooms is wrong at ${wrong}` }];
    });
}

/** `web/` and `sdk/` are packages; all else is of the harness. */
function toPath(name: string): string {
  const [, other, rest] = /^(web|sdk)\/(.*)$/.exec(name) ?? [];
  return other ? `packages/${other}/src/${rest}` : `packages/harness/src/${name}`;
}

interface Hop {
  arrow: string | undefined;
  from: string | undefined;
  to: string;
  by: string | undefined;
}

function checkHop({ arrow, from, to, by }: Hop, texts: ReadonlyMap<string, string>): string | undefined {
  if (arrow === undefined) return undefined;
  const above = from === undefined ? undefined : texts.get(from);
  if (from === undefined || above === undefined) return `nothing stands above ${to}`;
  if (arrow === '->') return imports(from, above, to, texts) ? undefined : `${from} does not import ${to}`;
  const isShared = by !== undefined && [above, texts.get(to) ?? ''].every((text) => uses(text, by));
  return isShared ? undefined : `${from} and ${to} do not both use ${by ?? 'a name (write: by Name)'}`;
}

function imports(from: string, text: string, to: string, texts: ReadonlyMap<string, string>): boolean {
  return findImports(text).some(({ specifier = '' }) => {
    if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier) === to;
    return (
      specifier === '@toolyard/sdk' &&
      to.startsWith('packages/sdk/') &&
      exportedNames(texts.get(to) ?? '').some((name) => uses(text, name))
    );
  });
}

function exportedNames(text: string): string[] {
  const exported = /^export (?:async )?(?:function\*?|const|type|interface|class) (\w+)/gm;
  return [...text.matchAll(exported)].map(([, name = '']) => name);
}

function uses(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}
