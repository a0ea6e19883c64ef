// The evidence over HTTP: read and verified, never changed.
import { routes } from '@toolyard/sdk';
import { verifyAudit } from '../../core/audit/audit-chain.ts';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

/** Looked at for one answer, so that a rare word in much evidence keeps nobody else waiting. */
const rowsPerSearch = 5_000;

export function mountAudit(app: Door, { store }: HttpDeps): void {
  mount(app, routes.listAudit, async ({ query: { after, limit, order, ...filter } }) => {
    const { rows, next } = await store.reads.findAudit({ after, limit, order, filter, scan: rowsPerSearch });
    return { items: rows, ...(next !== undefined && { next: String(next) }) };
  });
  mount(app, routes.verifyAudit, () => verifyAudit(store.reads));
}
