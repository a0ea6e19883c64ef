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
