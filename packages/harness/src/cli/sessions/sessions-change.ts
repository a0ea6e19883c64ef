// `sessions change`: another mode, model or title for a session.
import { ChangeSession, type Session, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createLink } from '../connection/link.ts';
import { type Pen, toLine } from '../terminal/terminal.ts';

export async function changeSession(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const change = toChange(call);
  const link = await createLink(call);
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
  if (name === undefined) throw new ToolyardError('usage', 'Say what to change: --mode, --model or --title.');
  throw new ToolyardError('usage', `--${String(name)}: ${problem?.message}`);
}

function writeChanged(pen: Pen, { id, mode, model, title }: Session): void {
  pen.line(`${id} ${pen.paint('dim', '·')} ${mode} · ${toLine(model)} · ${toLine(title) || '–'}`);
}
