// Finds functions and their length by matching brackets: rough, good enough to see where a cut was missed.
import { type Token, tokenize } from './tokenize.ts';

export interface FunctionSpan {
  name: string;
  line: number;
  lines: number;
}

interface Code {
  tokens: Token[];
  /** Index of a bracket to that of its partner. */
  partners: ReadonlyMap<number, number>;
}

const control = new Set(['if', 'for', 'while', 'switch', 'catch', 'with']);
const opens = '([{';
const closes = ')]}';

export function findFunctions(text: string): FunctionSpan[] {
  const tokens = tokenize(text);
  const code = { tokens, partners: matchBrackets(tokens) };
  return tokens.flatMap((token, index) => (token.text === '(' ? toFunction(code, index) : []));
}

/** The function whose parameter list opens here, if it has a body in braces. */
function toFunction(code: Code, open: number): FunctionSpan[] {
  const close = code.partners.get(open);
  const before = skipTypeParameters(code.tokens, open - 1);
  if (close === undefined || control.has(code.tokens[before]?.text ?? '')) return [];
  const end = findBodyEnd(code, close + 1);
  if (end === undefined) return [];
  const line = code.tokens[open]?.line ?? 1;
  return [{ name: toName(code.tokens, before), line, lines: (code.tokens[end]?.line ?? line) - line + 1 }];
}

/** The closing brace of the body behind a parameter list, past a return type and an arrow. */
function findBodyEnd({ tokens, partners }: Code, start: number): number | undefined {
  const hasType = tokens[start]?.text === ':';
  const isStart = hasType || tokens[start]?.text === '{' || tokens[start]?.text === '=>';
  for (let index = start; isStart && index < tokens.length; index++) {
    const text = tokens[index]?.text ?? ';';
    const isType = hasType && ':|&<,'.includes(tokens[index - 1]?.text ?? ':');
    if (text === '{' && !isType) return partners.get(index);
    if (opens.includes(text)) index = partners.get(index) ?? tokens.length;
    else if (';='.includes(text) || closes.includes(text)) return undefined;
    if (text === '=>' && !hasType && tokens[index + 1]?.text !== '{') return undefined;
  }
  return undefined;
}

/** `name(` and `function name(` have it before the list, `name = (` and `name: (` two further. */
function toName(tokens: Token[], before: number): string {
  const at = tokens[before]?.text === 'async' ? before - 1 : before;
  const token = '=:'.includes(tokens[at]?.text ?? '(') ? tokens[at - 1] : tokens[at];
  return token?.kind === 'word' && token.text !== 'function' ? token.text : '(unnamed)';
}

function skipTypeParameters(tokens: Token[], last: number): number {
  let depth = 0;
  for (let index = last; index >= 0; index--) {
    if (tokens[index]?.text === '>') depth += 1;
    if (depth === 0) return index;
    if (tokens[index]?.text === '<') depth -= 1;
  }
  return last;
}

function matchBrackets(tokens: Token[]): Map<number, number> {
  const partners = new Map<number, number>();
  const waiting: number[] = [];
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'mark') return;
    if (opens.includes(text)) waiting.push(index);
    if (!closes.includes(text)) return;
    const open = waiting.pop();
    if (open === undefined) return;
    partners.set(open, index);
    partners.set(index, open);
  });
  return partners;
}
