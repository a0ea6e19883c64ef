// The reference: every export is in it, whole, with its comment; and a page that is not current is found.
import { expect, test } from 'vitest';
import * as sdk from '../../packages/sdk/src/index.ts';
import * as testing from '../../packages/sdk/src/testing/index.ts';
import { readDeclarations, readIntroduction } from '../docs/declarations.ts';
import { findStaleReference, referencePath, toReference } from '../docs/reference.ts';
import { listFiles, readFiles } from '../source/repository.ts';
import { tokenize } from '../source/tokenize.ts';

const sources = readFiles(listFiles('packages/sdk/src').filter((path) => path.endsWith('.ts')));
const reference = toReference(sources);

test('every value that the SDK exports has an entry', () => {
  const titles = new Set([...reference.matchAll(/^#### (\w+)$/gm)].map(([, name]) => name));
  const missing = [...Object.keys(sdk), ...Object.keys(testing)].filter((name) => !titles.has(name));
  expect(missing).toEqual([]);
});

test('every declaration in it is whole', () => {
  const blocks = [...reference.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(150);
  const broken = blocks.filter((code) => {
    const marks = tokenize(code).flatMap(({ kind, text }) => (kind === 'mark' ? [text] : []));
    const count = (mark: string) => marks.filter((each) => each === mark).length;
    return count('{') !== count('}') || count('(') !== count(')') || count('[') !== count(']');
  });
  expect(broken).toEqual([]);
});

test('a declaration is read with its comment, and a function without its body', () => {
  const source = [
    '// What this file is for.',
    '// Two lines of it.',
    "import { z } from 'zod';",
    '',
    '/** One line. */',
    'export const Shape = z.object({',
    '  /** Inside. */',
    '  a: z.string(),',
    '});',
    'export type Shape = z.infer<typeof Shape>;',
    '',
    'export interface Long',
    "  extends Pick<Shape, 'a'> {",
    '  b: string;',
    '}',
    '',
    '/**',
    ' * Two lines,',
    ' * this is the second.',
    ' */',
    'export async function doIt(',
    '  a: string,',
    '): Promise<void> {',
    '  if (a) {',
    '    return;',
    '  }',
    '}',
    '',
    'export function make(a: { b: number }) {',
    '  const c = a;',
    '  return {',
    '    /** Gives it. */',
    '    get: () => c,',
    '  };',
    '}',
    '',
    'export type Either =',
    "  | 'a'",
    "  | 'b';",
    'const hidden = 1;',
  ].join('\n');
  expect(readIntroduction(source)).toBe('What this file is for.\nTwo lines of it.');
  expect(readDeclarations(source)).toEqual([
    {
      name: 'Shape',
      kind: 'const',
      comment: 'One line.',
      text: 'export const Shape = z.object({\n  /** Inside. */\n  a: z.string(),\n});',
    },
    { name: 'Shape', kind: 'type', comment: '', text: 'export type Shape = z.infer<typeof Shape>;' },
    {
      name: 'Long',
      kind: 'interface',
      comment: '',
      text: "export interface Long\n  extends Pick<Shape, 'a'> {\n  b: string;\n}",
    },
    {
      name: 'doIt',
      kind: 'function',
      comment: 'Two lines,\nthis is the second.',
      text: 'export async function doIt(\n  a: string,\n): Promise<void>;',
    },
    {
      name: 'make',
      kind: 'function',
      comment: '',
      text: 'export function make(a: { b: number }) {\n  return {\n    /** Gives it. */\n    get: () => c,\n  };\n}',
    },
    { name: 'Either', kind: 'type', comment: '', text: "export type Either =\n  | 'a'\n  | 'b';" },
  ]);
});

test('a page that does not say what the sources say is found, with the first line that differs', () => {
  const page = (text: string) => findStaleReference([...sources, { path: referencePath, text }]);
  expect(page(reference)).toEqual([]);
  const message = 'this is not what the sources say: npm run reference';
  expect(page(reference.replace('### client/client', '### customer/client'))).toEqual([
    { path: referencePath, line: reference.split('\n').indexOf('### client/client') + 1, message },
  ]);
  expect(findStaleReference(sources)).toEqual([{ path: referencePath, line: 1, message }]);
  expect(findStaleReference([])).toEqual([]);
});
