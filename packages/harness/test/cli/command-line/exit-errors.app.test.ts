// Errors at the door: a sentence, or {error}, and an exit code.
import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/command-line/arguments.ts';
import { explain, toUsageError } from '../../../src/cli/command-line/exit-errors.ts';
import { commands } from '../../../src/cli/commands.ts';
import { createTerminal } from '../../../src/cli/terminal/terminal.ts';

function explained(
  thrown: unknown,
  { json = false, env = {} }: { json?: boolean; env?: NodeJS.ProcessEnv } = {},
) {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const stdout = { write: () => expect.unreachable('errors belong on stderr') };
  const code = explain(thrown, { terminal: createTerminal({ stdout, stderr }, env), json, env });
  return { code, text: written.join('') };
}

describe('a mistake', () => {
  it.each([
    [['sessions', 'lst'], 'Unknown command "sessions lst". Did you mean "list"?'],
    [['serve', '--prot', '1'], 'Unknown option "--prot". Did you mean "--port"?'],
    [['--rehears'], 'Unknown option "--rehears". Did you mean "--rehearse"?'],
    [['help', 'rum'], 'Unknown command "rum". Did you mean "run"?'],
    [['xyzzy'], 'Unknown command "xyzzy". See: npm start -- --help'],
    [
      ['sessions', 'show'],
      '"sessions show" needs the id of a session. See: npm start -- sessions show --help',
    ],
  ])('in %j says what was meant, or where help is', (args, sentence) => {
    const parsed = parseCommandLine(commands, args);
    if (parsed.kind !== 'mistake') return expect.unreachable('this is a mistake');
    expect(explained(toUsageError(parsed))).toEqual({ code: 2, text: `error: ${sentence}\n` });
  });
});

describe('an error', () => {
  it('is its sentence, with nothing in it that drives the terminal', () => {
    const error = new ToolyardError('session_not_found', 'There is no session \u001b[2J.');
    expect(explained(error)).toEqual({ code: 1, text: 'error: There is no session ⟨U+001B⟩[2J.\n' });
  });

  it('is {error} for a program', () => {
    const error = new ToolyardError('port_in_use', 'Taken.', { data: { port: 1 } });
    const { code, text } = explained(error, { json: true });
    expect({ code, body: JSON.parse(text) }).toEqual({
      code: 1,
      body: { error: { code: 'port_in_use', message: 'Taken.', data: { port: 1 } } },
    });
  });

  it('answers 2 when the person can mend it by writing something else', () => {
    const codes = [
      'usage',
      'invalid_config',
      'unknown_role',
      'unknown_engine',
      'unknown_model',
      'unknown_tool',
    ] as const;
    expect(codes.map((code) => explained(new ToolyardError(code, 'x')).code)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('that nobody foresaw is one sentence, and shows where it came from only when asked', () => {
    const thrown = new TypeError('x is not a function', { cause: new Error('deeper') });
    expect(explained(thrown)).toEqual({
      code: 1,
      text: 'error: Internal error in Toolyard (x is not a function). Set TOOLYARD_LOG=debug and try again to see where.\n',
    });
    const { text } = explained(thrown, { env: { TOOLYARD_LOG: 'debug' } });
    expect(text).toMatch(/TypeError: x is not a function\n +at .*Caused by: Error: deeper\n +at /s);
  });
});
