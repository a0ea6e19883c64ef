// Does every command that a page shows exist? Asks the CLI's own parser, so flags and words are checked as well.
import { type Command, parseCommandLine } from '../../packages/harness/src/cli/command-line/arguments.ts';
import type { Page, Part } from './markdown.ts';
import { isShell } from './paths.ts';
import type { Problem } from './problem.ts';
import { type ShellCommand, toShellCommands } from './shell.ts';

export interface KnownCommands {
  /** Names in the root package.json's scripts. */
  scripts: readonly string[];
  table: readonly Command[];
}

/** A command found in a page. In a sentence a command may be named without all that it needs to run. */
interface Shown extends ShellCommand {
  inSentence: boolean;
}

const placeholder = /^(?:<.*>|…|\.\.\.)$/;

export function findBrokenCommands(page: Page, known: KnownCommands): Problem[] {
  return findShown(page).flatMap((shown) => {
    const message = checkCommand(shown, known);
    return message ? [{ path: page.path, line: shown.line, message }] : [];
  });
}

function findShown(page: Page): Shown[] {
  const blocks = page.blocks.filter(isShell).map(dropOutput);
  return [
    ...page.spans.flatMap(toShellCommands).map((command) => ({ ...command, inSentence: true })),
    ...blocks.flatMap(toShellCommands).map((command) => ({ ...command, inSentence: false })),
  ];
}

/** In a block with prompts only the prompts' lines are commands. */
function dropOutput(block: Part): Part {
  if (!/^\$ /m.test(block.text)) return block;
  return { ...block, text: block.text.replace(/^(?!\$ ).*$/gm, '') };
}

function checkCommand(shown: Shown, known: KnownCommands): string | undefined {
  const [program, ...words] = shown.words;
  if (program === 'toolyard') return checkToolyard(words, shown, known);
  return program === 'npm' ? checkNpm(words, shown, known) : undefined;
}

function checkNpm(words: string[], shown: Shown, known: KnownCommands): string | undefined {
  const [verb = '', ...rest] = words.filter((word, index) => index > 0 || !/^-/.test(word));
  const isRun = verb === 'run' || verb === 'run-script';
  const [script, ...args] = isRun ? rest : [verb, ...rest];
  if (!isRun && !['start', 'test', 'stop', 'restart'].includes(verb)) return undefined;
  if (!script || placeholder.test(script)) return undefined;
  if (!known.scripts.includes(script)) return `no such npm script: ${script}`;
  const isPassed = args[0] === undefined || args[0] === '--' || args[0] === '--silent' || args[0] === '-s';
  if (!isPassed) return `npm keeps "${args[0]}" for itself; put -- before it`;
  return script === 'start' ? checkToolyard(args.slice(args.indexOf('--') + 1), shown, known) : undefined;
}

function checkToolyard(words: string[], shown: Shown, { table }: KnownCommands): string | undefined {
  for (const argv of expand(words)) {
    if (shown.inSentence && isName(table, argv)) continue;
    const parsed = parseCommandLine(table, argv);
    if (parsed.kind === 'mistake') return `toolyard ${words.join(' ')}: ${parsed.message}`;
  }
  return undefined;
}

/** Usage notation to plain words: `list|show` is two command lines, `[--port 4242]` is given, `<command>` ends it. */
function expand(words: readonly string[]): string[][] {
  const end = words.findIndex((word, index) => index < 2 && placeholder.test(word));
  let lines: string[][] = [[]];
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const isQuoted = /\s/.test(word);
    const choices = isQuoted ? [word] : word.replace(/^\[|\]$/g, '').split('|');
    lines = lines.flatMap((line) => choices.map((choice) => [...line, choice]));
  }
  return lines;
}

/** Do the words name a command, a group of commands, or nothing at all? */
function isName(table: readonly Command[], words: readonly string[]): boolean {
  let choices: readonly Command[] | undefined = table;
  for (const word of words) {
    const command: Command | undefined = choices?.find(({ name }) => name === word);
    if (!command) return false;
    choices = command.subcommands;
  }
  return true;
}
