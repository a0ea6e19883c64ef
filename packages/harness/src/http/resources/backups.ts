// Backups over HTTP: made for a person, on the machine of the server.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountBackups(app: Door, { backups }: Pick<HttpDeps, 'backups'>): void {
  mount(app, routes.createBackup, ({ body, actor }) => backups.create(body, actor));
}
