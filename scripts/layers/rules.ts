// The dependency rule as data. Change it here, on purpose, and say why in docs/decisions.

const middle = ['http', 'channels', 'mcp', 'tools', 'sandbox', 'store', 'rehearsal'];

/** What a layer may import besides itself. A layer that is not listed does not exist. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  'sdk/testing': ['sdk'],
  web: ['sdk'],
  core: ['sdk'],
  engines: ['sdk'],
  ...Object.fromEntries(middle.map((layer) => [layer, ['core', 'sdk']])),
  app: [...middle, 'core', 'engines', 'sdk'],
  cli: ['app', 'sdk'],
  index: ['app', 'sdk'],
};

/** Layers that run in a browser too, and so import no module of Node's. */
export const browserSafe: ReadonlySet<string> = new Set(['sdk', 'sdk/testing', 'web']);

const harness = 'packages/harness/src';

/** Each outside library's homes, as folders or files. A library that is not listed has none. */
export const homes: readonly { libraries: readonly string[]; in: readonly string[] }[] = [
  { libraries: ['zod'], in: ['packages/sdk/src', harness, 'packages/web/src/no-eval.ts'] },
  { libraries: ['hono', '@hono/*', 'ws'], in: [`${harness}/http`] },
  { libraries: ['kysely', 'node:sqlite'], in: [`${harness}/store`] },
  { libraries: ['ai', '@ai-sdk/*'], in: [`${harness}/engines/native`] },
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
  { libraries: ['@slack/bolt'], in: [`${harness}/channels/slack.ts`] },
];

/** A test is in the ring that its name says; what it imports from a `test` folder counts as part of it. */
export type Ring = 'pure' | 'app' | 'real';

/** Files of tests that start our own programs or the Claude CLI. */
const starters = [
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

/** What a test of a ring must not import, and the ring that may. */
export const outOfRing: Readonly<Record<Ring, readonly { imports: readonly string[]; ring: Ring }[]>> = {
  pure: [
    { imports: ['playwright-core', ...starters], ring: 'real' },
    {
      imports: [
        ...['node:child_process', 'node:net', 'node:http'],
        ...[`${harness}/app.ts`, `${harness}/index.ts`, `${harness}/store/open.ts`],
      ],
      ring: 'app',
    },
  ],
  app: [{ imports: ['playwright-core', ...starters], ring: 'real' }],
  real: [],
};

/** Nothing when the file is no test. */
export function toRing(path: string): Ring | undefined {
  if (!path.endsWith('.test.ts')) return undefined;
  if (path.endsWith('.app.test.ts')) return 'app';
  return path.endsWith('.real.test.ts') ? 'real' : 'pure';
}

/** The layer of a source file: its package, or in the harness its first folder or file name. */
export function toLayer(path: string): string {
  const [, name = '', , first = ''] = path.split('/');
  if (name === 'sdk') return first === 'testing' ? 'sdk/testing' : 'sdk';
  return name === 'harness' ? first.replace(/\.ts$/, '') : name;
}

/** Where a library lives; nothing when it has no home yet. */
export function toHomes(library: string): readonly string[] | undefined {
  return homes.find((home) => home.libraries.some((pattern) => matches(pattern, library)))?.in;
}

function matches(pattern: string, library: string): boolean {
  return pattern.endsWith('/*') ? library.startsWith(pattern.slice(0, -1)) : pattern === library;
}
