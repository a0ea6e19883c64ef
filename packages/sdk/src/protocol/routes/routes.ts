// The HTTP interface as data: the server mounts it, the client calls it, tests and docs enumerate it.
import { agentRoutes } from './agent-routes.ts';
import { backupRoutes } from './backup-routes.ts';
import { configRoutes } from './config-routes.ts';
import { decisionRoutes } from './decision-routes.ts';
import { modelRoutes } from './model-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { toolRoutes } from './tool-routes.ts';
import { usageRoutes } from './usage-routes.ts';

export const routes = {
  ...serverRoutes,
  ...sessionRoutes,
  ...searchRoutes,
  ...toolRoutes,
  ...decisionRoutes,
  ...modelRoutes,
  ...agentRoutes,
  ...taskRoutes,
  ...usageRoutes,
  ...configRoutes,
  ...backupRoutes,
  ...streamRoutes,
} as const;

export type RouteName = keyof typeof routes;
