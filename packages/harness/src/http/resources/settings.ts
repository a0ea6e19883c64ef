// The configuration over HTTP. Only people come this far: an agent's token opens nothing but /mcp.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountSettings(app: Door, { settings }: HttpDeps): void {
  mount(app, routes.readConfig, () => settings.view());
  mount(app, routes.changeConfig, ({ body, actor }) => settings.change(body, actor));
}
