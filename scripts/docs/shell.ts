// Splits shell text into commands and their words: quotes, comments, operators and continued lines, no expansion.
import type { Part } from './markdown.ts';

export interface ShellCommand {
  words: string[];
  line: number;
}

const lexeme =
  /\\\n|(?<comment>(?<=^|\s)#[^\n]*)|(?<end>\n|;|&&|\|\||(?<=\s)[|&](?=\s|$))|(?<word>(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[^\n]|[^\s;"'\\&]|&(?!&))+)|[\s\S]/g;

export function toShellCommands({ text, line }: Part): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let current: ShellCommand | undefined;
  let at = line;
  for (const { 0: raw, groups } of text.matchAll(lexeme)) {
    if (groups?.end) current = undefined;
    if (groups?.word) {
      current ??= { words: [], line: at };
      if (current.words.push(unquote(raw)) === 1) commands.push(current);
    }
    at += raw.split('\n').length - 1;
  }
  return commands.map((command) => ({ ...command, words: dropPrefix(dropRedirects(command.words)) }));
}

function unquote(word: string): string {
  return word.replace(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) => {
    return double ?? single ?? escaped;
  });
}

/** What may stand before the command itself: a prompt, variables, `npx`. */
function dropPrefix(words: string[]): string[] {
  const start = words.findIndex((word) => !/^(?:\$|npx|time|exec|[A-Za-z_]\w*=.*)$/s.test(word));
  return start < 0 ? [] : words.slice(start);
}

function dropRedirects(words: string[]): string[] {
  const isRedirect = (word: string | undefined) => word !== undefined && /^\d?(?:>>?|<)$/.test(word);
  return words.filter((word, index) => {
    return !isRedirect(word) && !isRedirect(words[index - 1]) && !/^\d?>>?&?\S+$/.test(word);
  });
}
