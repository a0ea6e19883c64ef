// Help texts, generated from the table of commands.

import { program } from '../terminal/program.ts';
import type { Command } from './arguments.ts';

type Row = [string, string];

/** Help for the command at the end of `path`; for the whole program when it is empty. */
export function toHelp(table: readonly Command[], path: readonly Command[]): string {
  const command = path.at(-1);
  return command ? toCommandHelp(command) : toProgramHelp(table);
}

function toProgramHelp(table: readonly Command[]): string {
  const rows = table.map((command): Row => [command.name, command.summary]);
  return joinParts([
    'Toolyard, a self-hosted harness for AI agents.',
    `Usage: ${program} COMMAND [options]`,
    toTable('Commands', [...rows, ['help', 'Show help for a command: help sessions show']]),
    toTable('Options', [
      ['-h, --help', 'Show help; after a command, for that command'],
      ['--version', 'Show the version'],
    ]),
    toTable('Environment', [
      ['TOOLYARD_HOME', 'The home, which holds all data (default ~/.toolyard)'],
      ['TOOLYARD_PORT', 'Port of the server; overrides the config file'],
      ['TOOLYARD_TOKEN', "A person's token, instead of the one in the home"],
      ['TOOLYARD_WORKSPACE', 'Directory of new sessions (default: the current directory)'],
      ['TOOLYARD_LOG', 'debug, info, warn, error or silent; debug also prints the stack trace of an error'],
    ]),
  ]);
}

function toCommandHelp(command: Command): string {
  const options = command.options.map(
    ({ name, value, summary }): Row => [value ? `--${name} ${value}` : `--${name}`, summary],
  );
  const below = command.subcommands?.map((each): Row => [each.usage, each.summary]);
  return joinParts([
    command.summary,
    `Usage: ${program} ${command.usage}`,
    below ? toTable('Commands', below) : '',
    toTable('Options', [...options, ['-h, --help', 'Show help']]),
    command.notes ?? '',
  ]);
}

function toTable(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return [title, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)].join('\n');
}

function joinParts(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
