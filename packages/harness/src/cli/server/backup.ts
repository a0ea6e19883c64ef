// `backup` asks the home's server, which keeps running; `restore` needs a home that no server uses.
import { ToolyardError } from '@toolyard/sdk';
import { restoreHome } from '../../app/backup.ts';
import { resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { toPath } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toLine } from '../terminal/terminal.ts';

export async function backup(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [file] = call.words;
  const { clientWithoutTimeout } = await createServerLink(call);
  const made = await clientWithoutTimeout.backup(file === undefined ? {} : { path: toPath(file, call.env) });
  if (call.flags.has('json')) {
    out.line(JSON.stringify(made));
    return 0;
  }
  out.line(toLine(made.path));
  err.line(`${toSize(made.bytes)}, ${toCount(made.files)}, schema ${made.schema}; read back and checked.`);
  for (const path of made.left) err.line(`Skipped, not a regular file: ${toLine(path)}`);
  for (const path of made.removed) err.line(`Removed the oldest: ${toLine(path)}`);
  return 0;
}

export async function restore(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [file = ''] = call.words;
  if (call.options.home === '')
    throw new ToolyardError('usage', '--home is empty. Name a directory: --home=DIR.');
  const home = call.options.home === undefined ? resolveHome(call.env) : toPath(call.options.home, call.env);
  const restored = await restoreHome({ file: toPath(file, call.env), home, force: call.flags.has('force') });
  if (call.flags.has('json')) {
    out.line(JSON.stringify(restored));
    return 0;
  }
  const { head, files, aside } = restored;
  out.line(`Restored ${toCount(files)} into ${toLine(home)}, as they were on ${head.createdAt}.`);
  if (aside) out.line(`The previous files are in ${toLine(aside)}`);
  err.line('Tokens and grants revoked since then are valid again. Check `tokens list` and `grants list`.');
  return 0;
}

function toCount(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

function toSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
