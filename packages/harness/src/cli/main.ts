// The command `toolyard`: reads the words, runs one command, and is the door where every error becomes a sentence.
import { parseCommandLine } from './arguments.ts';
import { commands } from './commands.ts';
import { createTerminal, type Terminal } from './terminal.ts';

let leavesWithReader = true;

async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const parsed = parseCommandLine(commands, argv);
  switch (parsed.kind) {
    case 'help':
      terminal.out.write((await import('./help.ts')).toHelp(parsed.path));
      return 0;
    case 'version':
      terminal.out.line((await import('../app.ts')).version);
      return 0;
    case 'mistake':
      throw (await import('./door.ts')).toUsageError(parsed);
    case 'call':
      leavesWithReader = !parsed.isServer;
      return parsed.run({ ...parsed, env: process.env, terminal });
  }
}

/** A reader that left (`| head`) is no failure: the command leaves too, quietly. A server stays for its clients. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  if (leavesWithReader) process.exit(0);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

const argv = process.argv.slice(2);
const terminal = createTerminal(process, process.env);
process.stdout.on('error', onClosedPipe);
process.stderr.on('error', onClosedPipe);

let exitCode: number;
try {
  exitCode = await main(argv, terminal);
} catch (thrown) {
  const { explain } = await import('./door.ts');
  exitCode = explain(thrown, { terminal, json: argv.includes('--json'), env: process.env });
}
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(exitCode);
