// Which address shows which screen. Screens that are not needed at first are loaded when they are.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFound } from './screens/not-found.tsx';
import {
  toAgentsSearch,
  toAuditSearch,
  toConversationSearch,
  toSettingsSearch,
  toTaskSearch,
  toTasksSearch,
  toToolsSearch,
  toUsageSearch,
} from './screens/search.ts';
import { StartScreen } from './screens/start/start-screen.tsx';
import { BrokenScreen } from './shell/broken-screen.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell });

const ConversationScreen = lazyRouteComponent(
  () => import('./screens/conversation/conversation-screen.tsx'),
  'ConversationScreen',
);
/** Whoever is at the start goes there next. */
export const preloadConversation = () => void ConversationScreen.preload?.();

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartScreen });
const conversation = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  validateSearch: toConversationSearch,
  component: ConversationScreen,
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./screens/inbox/inbox-screen.tsx'), 'InboxScreen'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: toAgentsSearch,
  component: lazyRouteComponent(() => import('./screens/agents/agents-screen.tsx'), 'AgentsScreen'),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: toTasksSearch,
  component: lazyRouteComponent(() => import('./screens/tasks/tasks-screen.tsx'), 'TasksScreen'),
});
const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$slug',
  validateSearch: toTaskSearch,
  component: lazyRouteComponent(() => import('./screens/tasks/task-screen.tsx'), 'TaskScreen'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: toToolsSearch,
  component: lazyRouteComponent(() => import('./screens/tools/tools-screen.tsx'), 'ToolsScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: toAuditSearch,
  component: lazyRouteComponent(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: toUsageSearch,
  component: lazyRouteComponent(() => import('./screens/usage/usage-screen.tsx'), 'UsageScreen'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: toSettingsSearch,
  component: lazyRouteComponent(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
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
  defaultErrorComponent: BrokenScreen,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
