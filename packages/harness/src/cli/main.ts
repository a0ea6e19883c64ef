// The command `toolyard`: parses the arguments, runs a command, and turns an error into a message and an exit code.
import { parseCommandLine } from './command-line/arguments.ts';
import { commands } from './commands.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

let isServer = false;

async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const parsed = parseCommandLine(commands, argv);
  switch (parsed.kind) {
    case 'help':
      terminal.out.write((await import('./command-line/help.ts')).toHelp(commands, parsed.path));
      return 0;
    case 'version':
      terminal.out.line((await import('../app/home.ts')).version);
      return 0;
    case 'mistake':
      throw (await import('./command-line/exit-errors.ts')).toUsageError(parsed);
    case 'call':
      isServer = parsed.isServer;
      return parsed.run({ ...parsed, env: process.env, terminal });
  }
}

/** A closed pipe (`| head`) is not a failure. A server keeps serving its clients even when it cannot write its log. */
function onLostOutput(error: NodeJS.ErrnoException): void {
  if (!isServer) process.exit(error.code === 'EPIPE' ? 0 : 1);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

const argv = process.argv.slice(2);
const terminal = createTerminal(process, process.env);
process.stdout.on('error', onLostOutput);
process.stderr.on('error', onLostOutput);

let exitCode: number;
try {
  exitCode = await main(argv, terminal);
} catch (thrown) {
  const { explain } = await import('./command-line/exit-errors.ts');
  exitCode = explain(thrown, { terminal, json: argv.includes('--json'), env: process.env });
}
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(exitCode);
