// `grants list` and `grants revoke`.
import type { ListedGrant } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toAge, toDate } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';

export async function listGrants(call: Call): Promise<number> {
  const { out } = call.terminal;
  const link = await createServerLink(call);
  const list = await link.ask((client) => client.grants.list());
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) {
    const how = `${program} approvals allow ID --scope session`;
    out.line(`No grants. To create one, allow an approval with a scope: ${how}`);
  } else {
    const head = ['ID', 'SCOPE', 'FOR', 'USES', 'LAST USED', 'EXPIRES', 'BY', 'WHY', 'WHAT'];
    writeTable(out, head, list.items.map(toRow));
  }
  return 0;
}

function toRow(grant: ListedGrant): string[] {
  const { id, scope, sessionId, role, workspace, uses, lastUsedAt, expiresAt, owner, reason, key, stale } =
    grant;
  return [
    id,
    scope,
    sessionId ?? `${role} in ${workspace}`,
    String(uses),
    lastUsedAt ? toAge(lastUsedAt, Date.now()) : 'never',
    toDate(expiresAt),
    `${owner.id} via ${owner.via}`,
    reason ?? '–',
    stale ? `${key} (the tool has changed: the next call asks again)` : key,
  ];
}

export async function revokeGrant(call: Call): Promise<number> {
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  await link.client.grants.revoke(id);
  call.terminal.out.line(`Revoked ${id}. The next such call asks again.`);
  return 0;
}
