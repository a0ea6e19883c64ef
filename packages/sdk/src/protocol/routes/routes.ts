// The HTTP interface as data: the server mounts it, the client calls it, tests and docs enumerate it.
import { agentRoutes } from './agent-routes.ts';
import { decisionRoutes } from './decision-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { toolRoutes } from './tool-routes.ts';

export const routes = {
  ...serverRoutes,
  ...sessionRoutes,
  ...toolRoutes,
  ...decisionRoutes,
  ...agentRoutes,
} as const;

export type RouteName = keyof typeof routes;
