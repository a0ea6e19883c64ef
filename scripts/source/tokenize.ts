// A light TypeScript scanner: enough to tell code from comments, strings and regular expressions. It never fails;
// in doubt it recovers at the end of the line. JSX text is read as code, which only costs precision.

export interface Token {
  kind: 'word' | 'string' | 'template' | 'regex' | 'mark';
  /** The source text, quotes included, so that no string can be taken for a mark. */
  text: string;
  line: number;
}

const blank = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*)+/y;
const word = /[\p{ID_Continue}$]+/uy;
const string = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y;
const regex = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\]?)+\/?[a-z]*/y;
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const mark = /\.\.\.|=>|\S/uy;

/** Words after which a slash begins a regular expression. */
const beforeOperand = new Set(
  'return typeof case in of delete void throw new instanceof yield await else do'.split(' '),
);

export function tokenize(text: string): Token[] {
  const scan: Scan = { text, at: 0, line: 1, tokens: [] };
  while (scan.at < text.length) readToken(scan);
  return scan.tokens;
}

/** The text between the quotes, or nothing when it is not a plain literal. */
export function toLiteral(token: Token | undefined): string | undefined {
  if (token?.kind !== 'string' && token?.kind !== 'template') return undefined;
  const text = token.text.slice(1, -1);
  const computed = text.includes('\\') || (token.kind === 'template' && text.includes('${'));
  return computed ? undefined : text;
}

interface Scan {
  text: string;
  at: number;
  line: number;
  tokens: Token[];
}

function readToken(scan: Scan): void {
  if (take(scan, blank) !== '' || scan.at >= scan.text.length) return;
  const next = scan.text[scan.at] ?? '';
  if (next === '`') readTemplate(scan);
  else if (next === '"' || next === "'") push(scan, 'string', string);
  else if (next === '/' && isOperandNext(scan.tokens.at(-1)) && push(scan, 'regex', regex)) return;
  else if (!push(scan, 'word', word)) push(scan, 'mark', mark);
}

/** The template's token stands before the tokens of its `${}` parts. */
function readTemplate(scan: Scan): void {
  const start = scan.at;
  const token: Token = { kind: 'template', text: '', line: scan.line };
  scan.tokens.push(token);
  scan.at += 1;
  take(scan, templateText);
  while (scan.text.startsWith('${', scan.at)) {
    scan.at += 2;
    readSubstitution(scan);
    take(scan, templateText);
  }
  scan.at += 1;
  token.text = scan.text.slice(start, scan.at);
}

function readSubstitution(scan: Scan): void {
  let depth = 1;
  while (scan.at < scan.text.length) {
    const count = scan.tokens.length;
    readToken(scan);
    const token = scan.tokens.length === count + 1 ? scan.tokens[count] : undefined;
    if (token?.text === '{') depth += 1;
    if (token?.text === '}') depth -= 1;
    if (depth === 0) {
      scan.tokens.pop();
      return;
    }
  }
}

function isOperandNext(last: Token | undefined): boolean {
  if (!last) return true;
  if (last.kind === 'word') return beforeOperand.has(last.text);
  return last.kind === 'mark' && !')]}'.includes(last.text);
}

function push(scan: Scan, kind: Token['kind'], pattern: RegExp): boolean {
  const line = scan.line;
  const text = take(scan, pattern);
  if (text !== '') scan.tokens.push({ kind, text, line });
  return text !== '';
}

function take(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.at;
  const text = pattern.exec(scan.text)?.[0] ?? '';
  scan.at += text.length;
  for (const character of text) if (character === '\n') scan.line += 1;
  return text;
}
