// Roles and trust over HTTP.
import { routes } from '@toolyard/sdk';
import { findWorkspace, requireDirectory } from '../../core/workspace/workspaces.ts';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountRoles(app: Door, { roles, trust, defaultCwd }: HttpDeps): void {
  const directory = (cwd: string | undefined) => requireDirectory(cwd ?? defaultCwd);
  mount(app, routes.listRoles, async ({ query }) => {
    const { roles: items, broken } = await roles.list(findWorkspace(directory(query.cwd)));
    return { items, broken };
  });
  mount(app, routes.lookAtTrust, ({ query }) => trust.look(directory(query.cwd)));
  mount(app, routes.trust, ({ body, actor }) => trust.trust(directory(body.cwd), body.hash, actor));
}
