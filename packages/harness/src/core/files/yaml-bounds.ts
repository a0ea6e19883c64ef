// What no YAML file may contain, whatever its schema: too much, too deep, aliases, doubled or poisonous keys.
// The text is scanned before it is parsed, because the parser itself is slow or deep on such input.
import { CST, isAlias, isMap, isScalar, isSeq, Lexer, type LineCounter } from 'yaml';

/** One thing wrong with a file, at an offset into its text. */
export interface Problem {
  offset: number;
  message: string;
}

export const maxBytes = 1_048_576;
const maxTokens = 100_000;
const maxDepth = 100;
export const tooLarge = `larger than ${maxBytes} bytes; split it into smaller files`;
export const tooDeep = `nested deeper than ${maxDepth} levels; flatten it`;

/** Scans the text once, telling `lines` where each line starts. */
export function findHostileText(text: string, lines: LineCounter): Problem | undefined {
  lines.addNewLine(0);
  if (Buffer.byteLength(text) > maxBytes) return { offset: 0, message: tooLarge };
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return findHostileToken(text);
}

function findHostileToken(text: string): Problem | undefined {
  let offset = 0;
  let tokens = 0;
  let open = 0;
  let onLine = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'flow-map-start' || type === 'flow-seq-start') open++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') open--;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') onLine++;
    else if (type === 'newline') onLine = 0;
    if (open + onLine > maxDepth) return { offset, message: tooDeep };
    if (++tokens > maxTokens) return { offset, message: 'has too many parts; split it into smaller files' };
    // Markers the lexer invents are not in the text.
    if (type !== 'scalar' && type !== 'doc-mode' && type !== 'flow-error-end') offset += token.length;
  }
  return undefined;
}

/** Walks the parsed tree in the order of the text, without recursion. */
export function findHostileNode(root: unknown): Problem | undefined {
  const waiting = [{ node: root, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next;
    if (depth > maxDepth) return { offset: offsetOf(node), message: tooDeep };
    if (isAlias(node)) {
      return { offset: offsetOf(node), message: 'aliases are not supported; repeat the value' };
    }
    if (isSeq(node))
      for (const item of node.items.toReversed()) waiting.push({ node: item, depth: depth + 1 });
    if (isMap(node)) {
      const badKey = findHostileKey(node.items.map((pair) => pair.key));
      if (badKey) return badKey;
      for (const pair of node.items.toReversed()) waiting.push({ node: pair.value, depth: depth + 1 });
    }
  }
  return undefined;
}

function findHostileKey(keys: unknown[]): Problem | undefined {
  const seen = new Set<string>();
  for (const key of keys) {
    const offset = offsetOf(key);
    if (!isScalar(key)) return { offset, message: 'a key must be a plain word' };
    const name = String(key.value);
    if (name === '__proto__') return { offset, message: '"__proto__" is not allowed as a key' };
    if (seen.has(name)) return { offset, message: `the key ${quote(name)} occurs twice; remove one` };
    seen.add(name);
  }
  return undefined;
}

/** Where a node starts in the text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A word from the file, safe to print: short and without control characters. */
export function quote(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}
