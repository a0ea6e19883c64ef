// `sessions fork`: another session that goes on from a part of one.
import { ForkSession, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createLink } from '../connection/link.ts';
import { program } from '../terminal/program.ts';

export async function forkSession(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const { at, title } = call.options;
  const wanted = ForkSession.safeParse({
    ...(at !== undefined && { at: toNumber(at, '--at', { least: 0, most: Number.MAX_SAFE_INTEGER }) }),
    ...(title !== undefined && { title }),
  });
  if (!wanted.success) throw new ToolyardError('usage', `--title: ${wanted.error.issues[0]?.message}`);
  const link = await createLink(call);
  // Not asked again after a broken line: a second fork would be one too many.
  const fork = await link.client.sessions.fork(id, wanted.data);
  if (call.flags.has('json')) out.line(JSON.stringify(fork));
  else {
    out.line(fork.id);
    err.line(err.paint('dim', `Go on there: ${program} run --session ${fork.id} "…"`));
  }
  return 0;
}
