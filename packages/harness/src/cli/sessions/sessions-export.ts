// `sessions export`: writes to stdout, or to a file that is complete or does not exist.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type ExportFormat, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toPath } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import type { TextWriter } from '../terminal/terminal.ts';

export async function exportSession(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const format = toChoice<ExportFormat>(call.options.format ?? 'markdown', '--format', ['markdown', 'json']);
  const { output } = call.options;
  const path = output === undefined ? undefined : toPath(output, call.env);
  if (path !== undefined && !call.flags.has('force')) await refuseTaken(path);
  const link = await createServerLink(call);
  const pieces = await link.ask((client) => client.sessions.export(id, { format }));
  if (path === undefined) await writeOut(out, pieces);
  else {
    await writeFile(path, pieces);
    err.line(err.paint('dim', `Written to ${path}`));
  }
  return 0;
}

async function refuseTaken(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => undefined))) return;
  throw new ToolyardError(
    'usage',
    `The file ${path} exists. Name another one, or add --force to replace it.`,
  );
}

async function writeOut(out: TextWriter, pieces: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    out.write(out.safe(decoder.decode(piece, { stream: true })));
    await out.drained();
  }
}

/** Writes a partial file first, so that an existing file stays until the new one is complete. */
async function writeFile(path: string, pieces: ReadableStream<Uint8Array>): Promise<void> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await pipeline(pieces, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    if (cause instanceof ToolyardError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolyardError('usage', `Could not write the export to ${path}: ${why}`, { cause });
  }
}
