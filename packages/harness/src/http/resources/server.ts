// The server itself over HTTP: its health, models, usage, configuration, audit, doctor and backups. Only people come this
// far: an agent's token opens nothing but /mcp.
import { type Finding, routes } from '@toolyard/sdk';
import { verifyAudit } from '../../core/audit/audit-chain.ts';
import type { HttpDeps } from '../server/deps.ts';
import { type HttpRouter, mount } from '../server/mount.ts';

/** Looked at for one answer, so that a rare word in much evidence keeps nobody else waiting. */
const rowsPerSearch = 5_000;

export function mountServer(app: HttpRouter, deps: HttpDeps): void {
  const { models, configEditor, store, readUsage } = deps.core;
  mount(app, routes.health, deps.health);
  mount(app, routes.listModels, async ({ query }) => ({
    items: await models.list(query.provider),
    pricesAsOf: models.pricesAsOf(),
    rehearsing: models.rehearsing,
  }));
  mount(app, routes.readUsage, ({ query }) => readUsage(query));
  mount(app, routes.readConfig, () => configEditor.view());
  mount(app, routes.changeConfig, ({ body, actor }) => configEditor.change(body, actor));
  // Read and verified, never changed.
  mount(app, routes.listAudit, async ({ query: { after, limit, order, ...filter } }) => {
    const { rows, next } = await store.reads.findAudit({ after, limit, order, filter, scan: rowsPerSearch });
    return { items: rows, ...(next !== undefined && { next: String(next) }) };
  });
  mount(app, routes.verifyAudit, () => verifyAudit(store.reads));
  mountDoctor(app, deps);
  mount(app, routes.createBackup, ({ body, actor }) => deps.backups.create(body, actor));
}

/** One look at a time: whoever asks meanwhile gets the same findings. */
function mountDoctor(app: HttpRouter, { diagnose }: HttpDeps): void {
  let looking: Promise<Finding[]> | undefined;
  mount(app, routes.diagnose, async () => {
    looking ??= diagnose().finally(() => {
      looking = undefined;
    });
    const items = await looking;
    return { ok: items.every(({ state }) => state !== 'fail'), items };
  });
}
