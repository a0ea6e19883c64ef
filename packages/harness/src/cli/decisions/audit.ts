// `audit verify` and `audit export`.
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';

const pageSize = 100;

export async function verifyAudit(call: Call): Promise<number> {
  const { out } = call.terminal;
  const link = await createServerLink(call);
  const verdict = await link.ask((client) => client.audit.verify());
  if (call.flags.has('json')) out.line(JSON.stringify(verdict));
  else if (verdict.ok)
    out.line(`The audit is intact: ${verdict.rows} rows, each linked to the previous one.`);
  else out.line(out.paint('red', formatBroken(verdict.brokenAt)));
  return verdict.ok ? 0 : 1;
}

function formatBroken(brokenAt: number | undefined): string {
  const where = brokenAt === undefined ? '' : ` at row ${brokenAt}`;
  return `The audit is broken${where}: rows were changed or are missing there. Earlier rows are intact.`;
}

/** The rows as they are stored, one JSON object per line, oldest first. */
export async function exportAudit(call: Call): Promise<number> {
  const { out } = call.terminal;
  toChoice(call.options.format ?? 'jsonl', '--format', ['jsonl']);
  let after = toNumber(call.options.after ?? '0', '--after', { min: 0, max: Number.MAX_SAFE_INTEGER });
  const link = await createServerLink(call);
  for (let isMore = true; isMore; ) {
    const { items, next } = await link.ask((client) => client.audit.list({ after, limit: pageSize }));
    for (const row of items) out.line(JSON.stringify(row));
    await out.drained();
    after = items.at(-1)?.seq ?? after;
    isMore = next !== undefined;
  }
  return 0;
}
