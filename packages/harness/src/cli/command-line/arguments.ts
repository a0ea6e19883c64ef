// Parses a command line into a call or a mistake. Pure: it uses only the given table, prints nothing and loads nothing.
import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal/terminal.ts';

export interface Option {
  name: string;
  /** Name of the value in help; absent for a flag. */
  value?: string;
  /** May be given several times; all values are kept, in `lists`. */
  repeats?: true;
  summary: string;
}

export interface Command {
  name: string;
  summary: string;
  /** The whole usage line without the program's name. */
  usage: string;
  options: readonly Option[];
  /** Positional arguments; absent when the command takes none. */
  positionals?: { name: string; min: number; max: number };
  /** Shown below the options in help: examples, exit codes. */
  notes?: string;
  subcommands?: readonly Command[];
  /** Keeps running when its output can no longer be written. */
  isServer?: boolean;
  /** Loads the implementation, runs it and returns the exit code. Absent on a group of subcommands. */
  run?: (call: Call) => Promise<number>;
}

/** The input of a command. */
export interface Call {
  options: Readonly<Record<string, string>>;
  lists: Readonly<Record<string, readonly string[]>>;
  flags: ReadonlySet<string>;
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
}

export type Parsed =
  | { kind: 'help'; path: readonly Command[] }
  | { kind: 'version' }
  | ({ kind: 'call'; isServer: boolean; run: NonNullable<Command['run']> } & Pick<
      Call,
      'options' | 'lists' | 'flags' | 'words'
    >)
  | Mistake;

/** A message and, for a misspelt word, the words that it could be. */
export interface Mistake {
  kind: 'mistake';
  message: string;
  path: readonly Command[];
  word?: string;
  candidates?: readonly string[];
}

const globalOptions: readonly Option[] = [
  { name: 'help', summary: 'Show help' },
  { name: 'version', summary: 'Show the version' },
];

/** Parses a command line. Without a command name, the first command of the table is used. */
export function parseCommandLine(table: readonly Command[], argv: readonly string[]): Parsed {
  const [first, ...rest] = argv;
  if (first === 'help') return parseHelp(table, rest);
  if (first === undefined || first.startsWith('-')) return parseDefault(table, argv);
  return parseBelow(table, [], argv);
}

function parseHelp(table: readonly Command[], words: readonly string[]): Parsed {
  const path: Command[] = [];
  let choices = table;
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const found = choices.find((command) => command.name === word);
    if (!found) return unknownCommand(word, choices, path);
    path.push(found);
    choices = found.subcommands ?? [];
  }
  return { kind: 'help', path };
}

function parseDefault(table: readonly Command[], argv: readonly string[]): Parsed {
  if (argv.includes('--help') || argv.includes('-h')) return { kind: 'help', path: [] };
  const command = table[0];
  if (!command) return { kind: 'help', path: [] };
  const parsed = parseWords([command], command, argv);
  return parsed.kind === 'mistake' ? { ...parsed, path: [] } : parsed;
}

function parseBelow(choices: readonly Command[], path: readonly Command[], argv: readonly string[]): Parsed {
  const [word = '', ...rest] = argv;
  const command = choices.find((each) => each.name === word);
  if (!command) return unknownCommand(word, choices, path);
  const here = [...path, command];
  if (!command.subcommands) return parseWords(here, command, rest);
  if (rest.includes('--help') || rest.includes('-h')) {
    const named = command.subcommands.find((each) => each.name === rest[0]);
    return { kind: 'help', path: named ? [...here, named] : here };
  }
  if (rest[0] === undefined || rest[0].startsWith('-')) return missingSubcommand(here, command.subcommands);
  return parseBelow(command.subcommands, here, rest);
}

function parseWords(path: readonly Command[], command: Command, argv: readonly string[]): Parsed {
  const options: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const flags = new Set<string>();
  const words: string[] = [];
  for (const token of tokenize(command, argv)) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const mistake = checkOption(path, command, token);
    if (mistake) return mistake;
    if (token.value === undefined) flags.add(token.name);
    else if (isRepeated(command, token.name)) lists[token.name] = [...(lists[token.name] ?? []), token.value];
    else options[token.name] = token.value;
  }
  if (flags.has('help')) return { kind: 'help', path };
  if (flags.has('version')) return { kind: 'version' };
  const mistake = checkWords(path, command, words);
  if (mistake) return mistake;
  if (!command.run) return { kind: 'help', path };
  return {
    kind: 'call',
    isServer: command.isServer ?? false,
    run: command.run,
    options,
    lists,
    flags,
    words,
  };
}

function isRepeated({ options }: Command, name: string): boolean {
  return options.some((option) => option.name === name && option.repeats);
}

function tokenize(command: Command, argv: readonly string[]) {
  const known = [...command.options, ...globalOptions].map((option): [string, OptionShape] => [
    option.name,
    { type: option.value ? 'string' : 'boolean', ...(option.name === 'help' && { short: 'h' }) },
  ]);
  return parseArgs({
    args: [...argv],
    options: Object.fromEntries(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

interface OptionShape {
  type: 'string' | 'boolean';
  short?: string;
}

type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: 'option' }>;

function checkOption(path: readonly Command[], command: Command, token: OptionToken): Mistake | undefined {
  const options = [...command.options, ...globalOptions];
  const option = options.find((each) => each.name === token.name);
  const wrong = (message: string): Mistake => ({ kind: 'mistake', message, path });
  if (!option) {
    return {
      ...wrong(`Unknown option "${token.rawName}".`),
      word: token.rawName,
      candidates: options.map(({ name }) => `--${name}`),
    };
  }
  if (!option.value) {
    return token.value === undefined ? undefined : wrong(`Option --${option.name} takes no value.`);
  }
  // The next argument is a value only if it cannot be an option.
  const missing = !token.value || (!token.inlineValue && /^-./.test(token.value));
  return missing
    ? wrong(`Option --${option.name} needs a value: --${option.name}=${option.value}.`)
    : undefined;
}

function checkWords(
  path: readonly Command[],
  { positionals }: Command,
  words: readonly string[],
): Mistake | undefined {
  const name = path.map((each) => each.name).join(' ');
  const wrong = (message: string): Mistake => ({ kind: 'mistake', message, path });
  const extra = words[positionals?.max ?? 0];
  if (extra !== undefined) return wrong(`"${name}" does not take "${extra}".`);
  if (positionals && words.length < positionals.min) {
    return wrong(`"${name}" needs ${positionals.name}.`);
  }
  return undefined;
}

function unknownCommand(word: string, choices: readonly Command[], path: readonly Command[]): Mistake {
  const named = path.map((each) => `${each.name} `).join('');
  const candidates = choices.map((each) => each.name);
  return {
    kind: 'mistake',
    message: `Unknown command "${named}${word}".`,
    path,
    word,
    candidates: path.length === 0 ? [...candidates, 'help'] : candidates,
  };
}

function missingSubcommand(path: readonly Command[], choices: readonly Command[]): Mistake {
  const name = path.map((each) => each.name).join(' ');
  const offers = choices.map((each) => `${name} ${each.name}`).join(', ');
  return { kind: 'mistake', message: `"${name}" needs a subcommand: ${offers}.`, path };
}
