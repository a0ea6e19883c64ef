// `sessions delete`: asks first, since there is no way back.
import { type Session, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createLink } from '../connection/link.ts';
import { type Terminal, toLine } from '../terminal/terminal.ts';

export async function deleteSessions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const ids = [...new Set(call.words)];
  const link = await createLink(call);
  const sessions: Session[] = [];
  for (const id of ids) sessions.push(await link.ask((client) => client.sessions.get(id)));
  if (!call.flags.has('yes') && !(await isMeant(call.terminal, sessions))) {
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

async function isMeant({ err, keyboard }: Terminal, sessions: readonly Session[]): Promise<boolean> {
  if (!keyboard) {
    throw new ToolyardError('usage', 'Nobody can be asked here. To delete without a question, add --yes.');
  }
  for (const { id, title, status } of sessions) {
    const busy = status === 'idle' ? '' : ` (${status}: it will be interrupted)`;
    err.line(`${id}  ${toLine(title) || '–'}${busy}`);
  }
  const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`;
  const key = await keyboard.press({
    keys: 'yn',
    signal: new AbortController().signal,
    onReady: () => err.line(`Delete ${what} for good? y deletes, n does not.`),
    onOther: () => {},
  });
  return key === 'y';
}
