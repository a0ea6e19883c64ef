// Models over HTTP: which there are, what they cost, and whether they can be used now.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountModels(app: Door, { models }: Pick<HttpDeps, 'models'>): void {
  mount(app, routes.listModels, async ({ query }) => ({
    items: await models.list(query.provider),
    pricesAsOf: models.pricesAsOf(),
    rehearsing: models.rehearsing,
  }));
}
