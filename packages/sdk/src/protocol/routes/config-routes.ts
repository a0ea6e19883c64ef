// The configuration. Part of the one table in routes.ts.
import { ChangeConfig, ConfigView } from '../config/config-view.ts';
import { type AnyRoute, noBody, none } from './route.ts';

export const configRoutes = {
  readConfig: {
    method: 'GET',
    path: '/api/config',
    summary: 'Every key of the configuration: what holds, who said so, and whether it can be changed here',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: ConfigView,
  },
  changeConfig: {
    method: 'PATCH',
    path: '/api/config',
    summary: 'Change keys in config.yaml; all of them or, when one is refused, none',
    status: 200,
    params: none,
    query: none,
    body: ChangeConfig,
    response: ConfigView,
  },
} as const satisfies Record<string, AnyRoute>;
