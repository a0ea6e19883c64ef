// Every way one file can reach another: static, type-only, re-export, dynamic, and a URL beside the module.
import { type Token, tokenize, toLiteral } from '../source/tokenize.ts';

export interface Import {
  /** Nothing when the target is computed and cannot be judged. */
  specifier: string | undefined;
  line: number;
  /** A URL may name any file; only those that turn out to be source files are imports. */
  kind: 'module' | 'url';
  /** Nothing of it is left when the program runs. */
  typesOnly?: true;
}

export function findImports(text: string): Import[] {
  const tokens = tokenize(text);
  return tokens.flatMap((token, index) => {
    const read =
      token.kind === 'word' && Object.hasOwn(readers, token.text) ? readers[token.text] : undefined;
    return read?.(tokens, index) ?? [];
  });
}

type Reader = (tokens: Token[], index: number) => Import | undefined;

const readers: Record<string, Reader> = {
  import: readImport,
  export: readExport,
  require: readCall,
  getBuiltinModule: readCall,
  URL: readUrl,
};

function readImport(tokens: Token[], index: number): Import | undefined {
  if (isMark(tokens[index - 1], '.')) return undefined;
  const next = tokens[index + 1];
  if (next?.kind === 'string') return toImport(next);
  if (isMark(next, '(')) return readCall(tokens, index);
  if (isMark(next, '.'))
    return tokens[index + 4]?.text === 'resolve' ? readCall(tokens, index + 4) : undefined;
  return readFrom(tokens, index + 1);
}

function readExport(tokens: Token[], index: number): Import | undefined {
  const start = index + 1;
  const list = tokens[start]?.text === 'type' ? tokens[start + 1] : tokens[start];
  const isList = isMark(list, '{') || isMark(list, '*');
  return isList ? readFrom(tokens, start) : undefined;
}

/** Walks over an import or export clause to its `from 'x'`. */
function readFrom(tokens: Token[], start: number): Import | undefined {
  for (let index = start; index < tokens.length; index++) {
    const token = tokens[index];
    const next = tokens[index + 1];
    if (token?.text === 'from' && next?.kind === 'string') {
      const isTypes = isTypeClause(tokens.slice(start, index));
      return { ...toImport(next), ...(isTypes && { typesOnly: true }) };
    }
    const inClause =
      token && (token.kind === 'word' || token.kind === 'string' || '{},*'.includes(token.text));
    if (!inClause) return undefined;
  }
  return undefined;
}

/** `type X`, `type { X }` or `{ type X, type Y }`: not a value called `type`. */
function isTypeClause([first, second, ...rest]: readonly Token[]): boolean {
  if (first?.text === 'type') return second !== undefined && !isMark(second, ',');
  if (!isMark(first, '{') || !second || !isMark(rest.at(-1), '}')) return false;
  const names = [second, ...rest.slice(0, -1)].map(({ text }) => text).join(' ');
  return names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .every((name) => /^type (?!as )/.test(name));
}

function readCall(tokens: Token[], index: number): Import | undefined {
  const [open, target, end] = tokens.slice(index + 1, index + 4);
  if (!open || !target || !isMark(open, '(')) return undefined;
  const isWhole = isMark(end, ')') || isMark(end, ',');
  return isWhole ? toImport(target) : { specifier: undefined, line: open.line, kind: 'module' };
}

function readUrl(tokens: Token[], index: number): Import | undefined {
  const [open, target, comma, base] = tokens.slice(index + 1, index + 5);
  if (!target || !isMark(open, '(') || !isMark(comma, ',') || base?.text !== 'import') return undefined;
  return { ...toImport(target), kind: 'url' };
}

function toImport(token: Token): Import {
  return { specifier: toLiteral(token), line: token.line, kind: 'module' };
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}
