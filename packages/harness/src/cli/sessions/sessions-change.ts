// `sessions change`, `sessions fork` and `sessions delete`.
import { ChangeSession, ForkSession, type Session, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { program } from '../terminal/program.ts';
import { type Terminal, type TextWriter, toLine } from '../terminal/terminal.ts';

/** `sessions change`: changes the mode, model or title of a session. */
export async function changeSession(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const change = toChange(call);
  const link = await createServerLink(call);
  const session = await link.ask((client) => client.sessions.change(id, change));
  if (call.flags.has('json')) out.line(JSON.stringify(session));
  else writeChanged(out, session);
  if (change.model) for (const warning of session.warnings ?? []) err.line(toLine(warning));
  return 0;
}

function toChange({ options: { mode, model, title } }: Call): ChangeSession {
  const parsed = ChangeSession.safeParse({
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
  });
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  const [name] = problem?.path ?? [];
  if (name === undefined)
    throw new ToolyardError('usage', 'There is nothing to change. Use --mode, --model or --title.');
  throw new ToolyardError('usage', `--${String(name)}: ${problem?.message}`);
}

function writeChanged(writer: TextWriter, { id, mode, model, title }: Session): void {
  writer.line(`${id} ${writer.paint('dim', '·')} ${mode} · ${toLine(model)} · ${toLine(title) || '–'}`);
}

/** `sessions fork`: opens a session that continues from a part of another. */
export async function forkSession(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const { at, title } = call.options;
  const wanted = ForkSession.safeParse({
    ...(at !== undefined && { at: toNumber(at, '--at', { min: 0, max: Number.MAX_SAFE_INTEGER }) }),
    ...(title !== undefined && { title }),
  });
  if (!wanted.success) throw new ToolyardError('usage', `--title: ${wanted.error.issues[0]?.message}`);
  const link = await createServerLink(call);
  // Not retried after a lost connection: that could create a second fork.
  const fork = await link.client.sessions.fork(id, wanted.data);
  if (call.flags.has('json')) out.line(JSON.stringify(fork));
  else {
    out.line(fork.id);
    err.line(err.paint('dim', `Continue with: ${program} run --session ${fork.id} "…"`));
  }
  return 0;
}

/** `sessions delete`: asks first, because it cannot be undone. */
export async function deleteSessions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const ids = [...new Set(call.words)];
  const link = await createServerLink(call);
  const sessions: Session[] = [];
  for (const id of ids) sessions.push(await link.ask((client) => client.sessions.get(id)));
  if (!call.flags.has('yes') && !(await isConfirmed(call.terminal, sessions))) {
    err.line('Nothing was deleted.');
    return 1;
  }
  const deleted: { id: string }[] = [];
  for (const { id } of sessions) {
    deleted.push(await link.client.sessions.delete(id));
    if (!call.flags.has('json')) out.line(`${id} deleted`);
  }
  if (call.flags.has('json')) out.line(JSON.stringify({ items: deleted }));
  return 0;
}

async function isConfirmed({ err, keyboard }: Terminal, sessions: readonly Session[]): Promise<boolean> {
  if (!keyboard) {
    throw new ToolyardError(
      'usage',
      'There is no terminal to ask at. To delete without confirmation, add --yes.',
    );
  }
  for (const { id, title, status } of sessions) {
    const busy = status === 'idle' ? '' : ` (${status}: it will be interrupted)`;
    err.line(`${id}  ${toLine(title) || '–'}${busy}`);
  }
  const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`;
  const key = await keyboard.press({
    keys: 'yn',
    signal: new AbortController().signal,
    onReady: () => err.line(`Delete ${what} permanently? y deletes, n does not.`),
    onOther: () => {},
  });
  return key === 'y';
}
