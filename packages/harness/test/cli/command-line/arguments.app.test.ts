// The command line's grammar, against the real table.
import { describe, expect, it } from 'vitest';
import { type Command, parseCommandLine } from '../../../src/cli/command-line/arguments.ts';
import { commands } from '../../../src/cli/commands.ts';

function parse(...argv: string[]) {
  const parsed = parseCommandLine(commands, argv);
  if (parsed.kind === 'help') return { kind: parsed.kind, path: names(parsed.path) };
  if (parsed.kind === 'mistake') return { ...parsed, path: names(parsed.path) };
  if (parsed.kind === 'version') return parsed;
  const { options, flags, words } = parsed;
  return { kind: parsed.kind, options, flags: [...flags], words };
}

function names(path: readonly Command[]): string {
  return path.map(({ name }) => name).join(' ');
}

describe('parseCommandLine', () => {
  it('takes a line without a command for the first command of the table', () => {
    expect(parse()).toEqual({ kind: 'call', options: {}, flags: [], words: [] });
    expect(parse('--port', '0', '--rehearse')).toEqual({
      kind: 'call',
      options: { port: '0' },
      flags: ['rehearse'],
      words: [],
    });
  });

  it('reads options before, between and after words, with = or a space', () => {
    expect(parse('run', 'ping', '--role=assistant', 'the', 'server', '--json', '--model', 'a/b')).toEqual({
      kind: 'call',
      options: { role: 'assistant', model: 'a/b' },
      flags: ['json'],
      words: ['ping', 'the', 'server'],
    });
  });

  it('keeps every value of an option that may be repeated, and the last of any other', () => {
    const parsed = parseCommandLine(commands, [
      'run',
      '--image',
      'a',
      '--role',
      'x',
      '--image=b',
      '--role',
      'y',
    ]);
    if (parsed.kind !== 'call') return expect.unreachable('this is a call');
    expect({ lists: parsed.lists, options: parsed.options }).toEqual({
      lists: { image: ['a', 'b'] },
      options: { role: 'y' },
    });
  });

  it('takes everything after -- and a lone - for words', () => {
    expect(parse('run', '--', '--json', '-')).toEqual({
      kind: 'call',
      options: {},
      flags: [],
      words: ['--json', '-'],
    });
    expect(parse('run', '-')).toEqual({ kind: 'call', options: {}, flags: [], words: ['-'] });
  });

  it('finds help at every level', () => {
    expect(parse('--help')).toEqual({ kind: 'help', path: '' });
    expect(parse('help')).toEqual({ kind: 'help', path: '' });
    expect(parse('-h')).toEqual({ kind: 'help', path: '' });
    expect(parse('help', 'sessions', 'show')).toEqual({ kind: 'help', path: 'sessions show' });
    expect(parse('sessions', '-h')).toEqual({ kind: 'help', path: 'sessions' });
    expect(parse('sessions', 'show', '--help')).toEqual({ kind: 'help', path: 'sessions show' });
    expect(parse('run', 'words', '--help')).toEqual({ kind: 'help', path: 'run' });
    expect(parse('--version')).toEqual({ kind: 'version' });
  });

  it('names an unknown command, subcommand or option and what it could have been', () => {
    expect(parse('sesions')).toEqual({
      kind: 'mistake',
      message: 'Unknown command "sesions".',
      path: '',
      word: 'sesions',
      candidates: [...commands.map(({ name }) => name), 'help'],
    });
    expect(parse('sessions', 'lst')).toEqual({
      kind: 'mistake',
      message: 'Unknown command "sessions lst".',
      path: 'sessions',
      word: 'lst',
      candidates: ['list', 'search', 'show', 'change', 'retry', 'fork', 'export', 'delete'],
    });
    expect(parse('tools', 'list', '--jsn')).toEqual({
      kind: 'mistake',
      message: 'Unknown option "--jsn".',
      path: 'tools list',
      word: '--jsn',
      candidates: ['--role', '--explain', '--mode', '--json', '--help', '--version'],
    });
    expect(parse('help', 'rum')).toMatchObject({ kind: 'mistake', word: 'rum' });
  });

  it('refuses values, words and subcommands that are missing or too many', () => {
    const message = (...argv: string[]) => Object(parse(...argv)).message;
    expect(message('serve', '--port')).toBe('Option --port needs a value: --port=PORT.');
    expect(message('serve', '--port', '--rehearse')).toBe('Option --port needs a value: --port=PORT.');
    expect(message('serve', '--port=')).toBe('Option --port needs a value: --port=PORT.');
    expect(message('tools', 'list', '--json=yes')).toBe('Option --json takes no value.');
    expect(message('serve', 'now')).toBe('"serve" does not take "now".');
    expect(message('sessions', 'show')).toBe('"sessions show" needs the id of a session.');
    expect(message('sessions', 'show', 'a', 'b')).toBe('"sessions show" does not take "b".');
    expect(message('config')).toBe('"config" needs a subcommand: config path, config get, config set.');
    expect(message('config', '--json')).toBe(
      '"config" needs a subcommand: config path, config get, config set.',
    );
  });

  it('is not confused by names that every object has', () => {
    expect(parse('constructor')).toMatchObject({
      kind: 'mistake',
      message: 'Unknown command "constructor".',
    });
    expect(parse('run', '--__proto__=x', 'hi')).toMatchObject({
      kind: 'mistake',
      message: 'Unknown option "--__proto__".',
    });
  });
});

describe('the table', () => {
  it('starts each usage line with the words that call the command', () => {
    const wrong = (path: string[], command: Command): string[] => {
      const here = [...path, command.name];
      const below = (command.subcommands ?? []).flatMap((each) => wrong(here, each));
      return command.usage.startsWith(here.join(' ')) ? below : [command.usage, ...below];
    };
    expect(commands.flatMap((command) => wrong([], command))).toEqual([]);
  });

  it('gives every command something to run or subcommands that do', () => {
    const idle = (command: Command): boolean =>
      command.subcommands ? command.subcommands.some(idle) : !command.run;
    expect(commands.filter(idle)).toEqual([]);
  });
});
