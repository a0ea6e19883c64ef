// What was used, over HTTP.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountUsage(app: Door, { readUsage }: HttpDeps): void {
  mount(app, routes.readUsage, ({ query }) => readUsage(query));
}
