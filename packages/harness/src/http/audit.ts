// The evidence over HTTP: read and verified, never changed.
import { routes } from '@toolyard/sdk';
import { verifyAudit } from '../core/audit-chain.ts';
import type { HttpDeps } from './deps.ts';
import { type Door, mount } from './mount.ts';

export function mountAudit(app: Door, { store }: HttpDeps): void {
  mount(app, routes.listAudit, async ({ query: { after, limit } }) => {
    const items = await store.reads.auditRows({ after, limit });
    const last = items.at(-1);
    return { items, ...(last && items.length === limit && { next: String(last.seq) }) };
  });
  mount(app, routes.verifyAudit, () => verifyAudit(store.reads));
}
