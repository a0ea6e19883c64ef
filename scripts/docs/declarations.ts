// Reads the exported declarations of a source file with their doc comments. Leans on Biome's format: a declaration begins
// in the first column, and what belongs to it is indented or closes it there.

export interface Declaration {
  name: string;
  kind: 'function' | 'const' | 'interface' | 'type' | 'class';
  /** Its doc comment as plain text. */
  comment: string;
  /** Its source, of a function without the body. */
  text: string;
}

const opening = /^export (?:async )?(function|const|interface|type|class)\*? ?(\w+)/;

/** The comment at the top of a file. */
export function readIntroduction(source: string): string {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, Math.max(0, end))
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

export function readDeclarations(source: string): Declaration[] {
  const lines = source.split('\n');
  return lines.flatMap((line, start) => {
    const [, kind, name] = opening.exec(line) ?? [];
    if (!isKind(kind) || !name) return [];
    const text = kind === 'function' ? readSignature(lines, start) : readBlock(lines, start);
    return [{ name, kind, comment: readComment(lines, start), text }];
  });
}

function isKind(word: string | undefined): word is Declaration['kind'] {
  return ['function', 'const', 'interface', 'type', 'class'].includes(word ?? '');
}

/** The doc comment that ends right above a line. */
function readComment(lines: readonly string[], start: number): string {
  if (!lines[start - 1]?.endsWith('*/')) return '';
  const begin = lines.findLastIndex((line, index) => index < start && line.startsWith('/**'));
  return lines
    .slice(begin, start)
    .map((line) => line.replace(/ ?\*\/$/, '').replace(/^\/\*\* ?|^ \* ?/, ''))
    .join('\n')
    .trim();
}

/** Up to the line that closes it in the first column; of one that opens nothing, to the end of its statement. */
function readBlock(lines: readonly string[], start: number): string {
  const first = lines[start] ?? '';
  if (/[;}]$/.test(first)) return first;
  // What an interface extends may stand on lines of its own.
  const isOpen = /[{([]$/.test(first) || /^export (interface|class) /.test(first);
  const end = lines.findIndex(
    (line, index) =>
      index > start && (isOpen ? /^[)}\]].*(?<![{([])$/.test(line) : /^ {0,2}\S.*;$/.test(line)),
  );
  return lines.slice(start, end + 1).join('\n');
}

/** A function's head. Without a declared result, also the object that it returns: its members are what it is for. */
function readSignature(lines: readonly string[], start: number): string {
  const end = lines.findIndex(
    (line, index) => index >= start && / \{$/.test(line) && !/^\S.*[:|] \{$/.test(line),
  );
  const head = lines.slice(start, end + 1).join('\n');
  const signature = head.replace(/ \{$/, '');
  if (/\)(?::| =>)[^()]*$/.test(signature)) return `${signature};`;
  const close = lines.findIndex((line, index) => index > end && line.startsWith('}'));
  const begin = lines.findLastIndex((line, index) => index > end && index < close && line === '  return {');
  if (begin < 0) return `${signature};`;
  return `${head}\n${lines.slice(begin, close + 1).join('\n')}`;
}
