// `tokens create`, `tokens list` and `tokens revoke`.
import { CreateToken, type Token, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toAge, toDate } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';

export async function createToken(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const wanted = toWanted(call);
  const link = await createServerLink(call);
  const created = await link.client.tokens.create(wanted);
  if (call.flags.has('json')) out.line(JSON.stringify(created));
  else {
    // The only text on stdout, so that a script can read it.
    out.line(created.secret);
    const what =
      created.kind === 'person' ? 'can do everything that you can' : `can call the tools of ${created.role}`;
    err.line(
      `${created.id}: whoever has this token ${what}. It is shown only once and stored only as a hash.`,
    );
  }
  return 0;
}

function toWanted({ words, options }: Call): CreateToken {
  const parsed = CreateToken.safeParse({
    name: words[0],
    ...(options.kind && { kind: options.kind }),
    ...(options.role && { role: options.role }),
    ...(options.days && { expiresInDays: toDays(options.days) }),
  });
  if (!parsed.success) {
    const [problem] = parsed.error.issues;
    const where = problem?.path[0] === 'name' ? 'The name' : `--${problem?.path.join('.')}`;
    throw new ToolyardError('usage', `${where}: ${problem?.message}`);
  }
  if (parsed.data.kind === 'agent' && !parsed.data.role) {
    const why = 'An agent token needs a role, which decides its tools.';
    throw new ToolyardError('usage', `${why} Name one: --role assistant. Or, for yourself: --kind person.`);
  }
  return parsed.data;
}

function toDays(text: string): number {
  const days = Number(text);
  if (days > 0 && days <= 3650) return days;
  throw new ToolyardError('usage', `--days is "${text}". Use a number above 0 and up to 3650.`);
}

export async function listTokens(call: Call): Promise<number> {
  const { out } = call.terminal;
  const link = await createServerLink(call);
  const list = await link.ask((client) => client.tokens.list());
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) {
    out.line(
      `The only token is the one in the home. Create one: ${program} tokens create NAME --role assistant`,
    );
  } else writeTable(out, ['ID', 'NAME', 'KIND', 'ROLE', 'LAST USED', 'EXPIRES'], list.items.map(toRow));
  return 0;
}

function toRow({ id, name, kind, browser, role, lastUsedAt, expiresAt }: Token): string[] {
  const used = lastUsedAt ? toAge(lastUsedAt, Date.now()) : 'never';
  return [id, name, browser ? 'browser' : kind, role ?? '–', used, expiresAt ? toDate(expiresAt) : 'never'];
}

export async function revokeToken(call: Call): Promise<number> {
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  await link.client.tokens.revoke(id);
  call.terminal.out.line(`Revoked ${id}. It no longer gives access.`);
  return 0;
}
