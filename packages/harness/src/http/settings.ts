// The configuration over HTTP. Only people come this far: an agent's token opens nothing but /mcp.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from './deps.ts';
import { type Door, mount } from './mount.ts';

export function mountSettings(app: Door, { settings }: HttpDeps): void {
  mount(app, routes.readConfig, () => settings.view());
  mount(app, routes.changeConfig, ({ body, actor }) => settings.change(body, actor));
}
