// Which address shows which screen. Screens that are not needed at first are loaded when they are.
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { lazyScreen } from './browser-apis/lazy-screens.ts';
import {
  toAgentsSearch,
  toAuditSearch,
  toConversationSearch,
  toSettingsSearch,
  toTaskSearch,
  toTasksSearch,
  toToolsSearch,
  toUsageSearch,
} from './navigation/search-params.ts';
import { StartScreen } from './screens/start/start-screen.tsx';
import { BrokenScreen, NotFound, PendingScreen } from './shell/screen-fallbacks.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell });

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartScreen });
const conversation = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  validateSearch: toConversationSearch,
  component: lazyScreen(() => import('./screens/conversation/conversation-screen.tsx'), 'ConversationScreen'),
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyScreen(() => import('./screens/inbox/inbox-screen.tsx'), 'InboxScreen'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: toAgentsSearch,
  component: lazyScreen(() => import('./screens/agents/agents-screen.tsx'), 'AgentsScreen'),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: toTasksSearch,
  component: lazyScreen(() => import('./screens/tasks/tasks-screen.tsx'), 'TasksScreen'),
});
const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$slug',
  validateSearch: toTaskSearch,
  component: lazyScreen(() => import('./screens/tasks/task-screen.tsx'), 'TaskScreen'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: toToolsSearch,
  component: lazyScreen(() => import('./screens/tools/tools-screen.tsx'), 'ToolsScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: toAuditSearch,
  component: lazyScreen(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: toUsageSearch,
  component: lazyScreen(() => import('./screens/usage/usage-screen.tsx'), 'UsageScreen'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: toSettingsSearch,
  component: lazyScreen(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    conversation,
    inbox,
    agents,
    tasks,
    task,
    tools,
    audit,
    usage,
    settings,
  ]),
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  // Soon: what is typed meanwhile must not go to the screen before.
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PendingScreen,
  defaultErrorComponent: BrokenScreen,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
