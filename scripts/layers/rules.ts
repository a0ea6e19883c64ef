// The dependency rule as data. Change it here, on purpose, and say why in docs/decisions.
import { dirname } from 'node:path/posix';

const middle = ['http', 'mcp', 'tools', 'sandbox', 'store', 'rehearsal'];

/** What a layer may import besides itself. A layer that is not listed does not exist. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  'sdk/testing': ['sdk'],
  web: ['sdk'],
  core: ['untrusted-files', 'sdk'],
  'untrusted-files': ['sdk'],
  engines: ['sdk'],
  'engines/claude': ['engines', 'untrusted-files', 'sdk'],
  'engines/native': ['engines', 'sdk'],
  ...Object.fromEntries(middle.map((layer) => [layer, ['core', 'sdk']])),
  // Its commands leave files where agents can write.
  sandbox: ['core', 'untrusted-files', 'sdk'],
  app: [...middle, 'core', 'engines', 'engines/claude', 'engines/native', 'sdk'],
  cli: ['app', 'sdk'],
  index: ['app', 'sdk'],
};

const harness = 'packages/harness/src';

/**
 * The rooms of a folder, lowest first: a file imports its own room and earlier ones. `.` is the files that lie in the
 * folder itself. A folder that is not listed is refused.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  [`${harness}/core`]: [
    'lib',
    'files',
    'operator-log',
    'log',
    'models',
    'audit',
    'identity',
    'config',
    'workspace',
    'roles',
    'access',
    'worktrees',
    'transcripts',
    'tasks',
    'search',
    'session-records',
    'agent-records',
    'budget',
    'grants',
    'approvals',
    'protected-paths',
    'calls',
    'config-editor',
    'agents',
    'turns',
    'sessions',
    'retention',
    'backup',
    'doctor',
    '.',
  ],
  [`${harness}/cli`]: [
    'terminal',
    'command-line',
    'connection',
    'agents',
    'decision-prompts',
    'decisions',
    'run',
    'server',
    'mcp',
    'sessions',
    '.',
  ],
  [`${harness}/store`]: ['migrations', 'sqlite', 'agent-queries', 'queries', '.', 'backup'],
  [`${harness}/http`]: ['server', 'streams', 'resources', '.'],
  [`${harness}/engines/claude`]: ['lib', 'tools', 'transcripts', 'events', 'gate', 'process', '.'],
  [`${harness}/engines/native`]: ['models', 'transcript', 'step', '.'],
  [`${harness}/rehearsal`]: ['request', 'scenarios', 'reply', '.'],
  'packages/sdk/src': [
    'lib',
    'protocol/content',
    'protocol',
    'protocol/config',
    'engine',
    'protocol/routes',
    'client',
    'view',
    'store',
    '.',
    'testing/support',
    'testing/engine-cases',
    'testing/store-cases',
    'testing',
  ],
  'packages/web/src': [
    'connection',
    'queries',
    'browser-apis',
    'controls',
    'storage',
    'parts',
    'text',
    'markdown',
    'outbox',
    'composer',
    'navigation',
    'transcript-rows',
    'new-session',
    'agents',
    'decision-cards',
    'approvals',
    'questions',
    'tool-cards',
    'transcript',
    'session-list',
    'screens/configuration',
    'screens/usage',
    'screens/agents',
    'screens/audit',
    'screens/inbox',
    'screens/settings',
    'screens/start',
    'screens/tasks',
    'screens/tools',
    'screens/conversation',
    'palette',
    'shell',
    '.',
  ],
};

/** Layers that run in a browser too, and so import no module of Node's. */
export const browserSafe: ReadonlySet<string> = new Set(['sdk', 'sdk/testing', 'web']);

/** Each outside library's homes, as folders or files. A library that is not listed has none. */
export const homes: readonly { libraries: readonly string[]; in: readonly string[] }[] = [
  { libraries: ['zod'], in: ['packages/sdk/src', harness, 'packages/web/src/no-eval.ts'] },
  { libraries: ['hono', '@hono/*', 'ws'], in: [`${harness}/http`] },
  { libraries: ['kysely', 'node:sqlite'], in: [`${harness}/store`] },
  { libraries: ['@ai-sdk/*'], in: [`${harness}/engines/native`] },
  { libraries: ['yaml'], in: [`${harness}/core`] },
  { libraries: ['@modelcontextprotocol/*'], in: [`${harness}/mcp`, `${harness}/engines/claude`] },
  { libraries: ['@anthropic-ai/claude-agent-sdk'], in: [`${harness}/engines/claude`] },
  {
    libraries: [
      'react',
      'react-dom',
      '@tanstack/*',
      'radix-ui',
      'lucide-react',
      'marked',
      'lowlight',
      'get-nonce',
      'clsx',
    ],
    in: ['packages/web/src'],
  },
];

/**
 * What opens, writes or removes files by their path, and whose files they are. Everything else in the harness works where
 * an agent may write, too: it may look at names, and opens files through untrusted-files only.
 */
export const opensByPath: Readonly<Record<string, string>> = {
  [`${harness}/untrusted-files`]: 'the module itself',
  [`${harness}/store`]: 'the database in the home',
  [`${harness}/core/backup`]: 'the home, and archives that a person names',
  [`${harness}/core/operator-log`]: 'logs in the home',
  [`${harness}/core/retention`]: 'the home',
  [`${harness}/core/calls/output.ts`]: 'outputs in the home',
  [`${harness}/core/config-editor/config-editor.ts`]: 'the configuration in the home',
  [`${harness}/core/files/home.ts`]: 'the home',
  [`${harness}/core/files/yaml.ts`]: 'the configuration in the home, and scenarios that a person names',
  [`${harness}/core/worktrees/worktree-records.ts`]: 'records in the home',
  [`${harness}/core/models`]: 'prices that ship, and whether a login is there',
  [`${harness}/sandbox`]: '/proc, records in the home and a folder of the probe',
  [`${harness}/http/page.ts`]: 'the page that ships',
  [`${harness}/http/server/port-owner.ts`]: '/proc',
  [`${harness}/engines/claude/process/probe.ts`]: 'the package of the SDK',
  [`${harness}/rehearsal`]: 'scenarios that ship',
  [`${harness}/app`]: 'the home, and a folder of the doctor',
  [`${harness}/cli`]: 'the home, and what a person names',
};

/** What Node offers that opens no file. */
export const lookOnly: ReadonlySet<string> = new Set([
  ...[
    'access',
    'accessSync',
    'constants',
    'existsSync',
    'lstat',
    'lstatSync',
    'opendirSync',
    'readdir',
    'readlink',
  ],
  ...['realpath', 'realpathSync', 'stat', 'statSync', 'statfs', 'watch'],
]);

/** A test is in the ring that its name says; what it imports from a `test` folder counts as part of it. */
export type Ring = 'pure' | 'app' | 'real';

/** Files of tests that start our own programs or the Claude CLI. */
export const processStarters: readonly string[] = [
  'packages/harness/test/acceptance/terminal-claude.ts',
  'packages/harness/test/cli/toolyard-process.ts',
  'packages/harness/test/crash/server-process.ts',
  'packages/harness/test/docs/guide-runner.ts',
  'packages/harness/test/engines/claude/claude-world.ts',
  'packages/harness/test/engines/claude/cli-session.ts',
  'packages/harness/test/engines/claude/hot-world.ts',
  'packages/harness/test/engines/claude/wire-session.ts',
  'packages/harness/test/hostile/soak-server.ts',
  'packages/harness/test/hostile/yard-process.ts',
  'packages/harness/test/packed/pack.ts',
  'packages/harness/test/store/child-process.ts',
  'packages/web/test/support/server.ts',
];

/** What opens a whole app or its database. */
export const appOpeners: readonly string[] = [
  `${harness}/app.ts`,
  `${harness}/index.ts`,
  `${harness}/store/open.ts`,
  `${harness}/store/sqlite/sqlite.ts`,
];

/** What a test of a ring must not import, and the ring that may. */
export const outOfRing: Readonly<Record<Ring, readonly { imports: readonly string[]; ring: Ring }[]>> = {
  pure: [
    { imports: ['playwright-core', ...processStarters], ring: 'real' },
    {
      imports: [
        ...['node:child_process', 'node:net', 'node:http', 'node:sqlite', 'node:worker_threads'],
        ...appOpeners,
      ],
      ring: 'app',
    },
  ],
  app: [{ imports: ['playwright-core', ...processStarters], ring: 'real' }],
  real: [],
};

/** Nothing when the file is no test. */
export function toRing(path: string): Ring | undefined {
  if (!path.endsWith('.test.ts')) return undefined;
  if (path.endsWith('.app.test.ts')) return 'app';
  return path.endsWith('.real.test.ts') ? 'real' : 'pure';
}

/** The layer of a source file: its package, or in the harness its first folder or file name; each engine is one. */
export function toLayer(path: string): string {
  const [, name = '', , first = '', second = ''] = path.split('/');
  if (name === 'sdk') return first === 'testing' ? 'sdk/testing' : 'sdk';
  if (name === 'harness' && first === 'engines' && !second.includes('.')) return `engines/${second}`;
  return name === 'harness' ? first.replace(/\.ts$/, '') : name;
}

/** The folder of rooms that holds a file, and the number of its room there; -1 for a folder that is not listed. */
export function toRoom(path: string): { base: string; room: number } | undefined {
  const base = Object.keys(rooms).find((folder) => path.startsWith(`${folder}/`));
  if (base === undefined) return undefined;
  const listed = rooms[base] ?? [];
  return { base, room: listed.indexOf(dirname(path).slice(base.length + 1) || '.') };
}

/** Where a library lives; nothing when it has no home yet. */
export function toHomes(library: string): readonly string[] | undefined {
  return homes.find((home) => home.libraries.some((pattern) => matches(pattern, library)))?.in;
}

/** Is it this library, or one of this scope (`@hono/*`)? */
export function matches(pattern: string, library: string): boolean {
  return pattern.endsWith('/*') ? library.startsWith(pattern.slice(0, -1)) : pattern === library;
}
