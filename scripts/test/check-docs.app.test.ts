// Plants each kind of untrue document once, and each look-alike that must pass.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Command } from '../../packages/harness/src/cli/command-line/arguments.ts';
import { findProblems } from '../check-docs.ts';
import { parsePage } from '../docs/markdown.ts';
import { findCitations } from '../docs/promises.ts';
import { toShellCommands } from '../docs/shell.ts';

const table: readonly Command[] = [
  {
    name: 'serve',
    summary: '',
    usage: '',
    options: [{ name: 'port', value: 'PORT', summary: '' }],
    run: async () => 0,
  },
  {
    name: 'run',
    summary: '',
    usage: '',
    options: [{ name: 'json', summary: '' }],
    positionals: { name: 'a prompt', min: 1, max: 1 },
    run: async () => 0,
  },
  {
    name: 'sessions',
    summary: '',
    usage: '',
    options: [],
    subcommands: [
      { name: 'list', summary: '', usage: '', options: [], run: async () => 0 },
      {
        name: 'show',
        summary: '',
        usage: '',
        options: [],
        positionals: { name: 'an id', min: 1, max: 1 },
        run: async () => 0,
      },
    ],
  },
];

const sound: Record<string, string> = {
  'README.md': '# Toolyard',
  'ARCHITECTURE.md': '# Architecture',
  'GLOSSARY.md': '# Words\n\n## The log\n\n## The log\n',
  'AGENTS.md': '# Agents',
  'CONTRIBUTING.md': '# Contributing',
  'CHANGELOG.md': '# Changes',
  LICENSE: '',
  'docs/promises.md':
    '| id | promise | status |\n|---|---|---|\n| P1 | kept | holds now |\n| P3 | later | comes with x |',
  'package.json': JSON.stringify({ scripts: { start: '', test: '', check: '' } }),
  'packages/harness/src/core/log.ts': '',
  'packages/harness/test/log.test.ts': "test('P1: nothing is lost', () => {});",
};

function problemsIn(changes: Record<string, string | undefined>) {
  const all = Object.entries({ ...sound, ...changes });
  const files = all.flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
  return findProblems({ paths: files.map(({ path }) => path), files, table });
}

test('documents that tell the truth have no problems', () => {
  expect(problemsIn({})).toEqual([]);
});

test.each(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'docs/promises.md'])(
  'a missing %s is a problem',
  (path) => {
    expect(problemsIn({ [path]: undefined })).toEqual([
      { path, line: 1, message: 'this document is missing' },
    ]);
  },
);

test.each([
  ['a link', 'See\n[the log](packages/harness/src/core/logs.ts).', 'packages/harness/src/core/logs.ts'],
  ['a link with code in its text', '\n[`log`](docs/log.md)', 'docs/log.md'],
  ['a link definition', '\n[log]: docs/log.md', 'docs/log.md'],
  ['a picture', '\n![log](docs/log.png)', 'docs/log.png'],
  ['a path in backticks', '\nIt is in `docs/log.md`.', 'docs/log.md'],
  ['a folder in backticks', '\nIt is in `packages/harness/src/cor/`.', 'packages/harness/src/cor/'],
  ['a file named from inside its layer', '\nIt is `core/logs.ts`.', 'core/logs.ts'],
  ['a file name alone', '\nIt is `logs.ts`.', 'logs.ts'],
  ['a pattern that matches nothing', '\nAll of `packages/*/source`.', 'packages/*/source'],
  ['a path in a shell block', '```sh\nnode packages/harness/log.ts\n```', 'packages/harness/log.ts'],
])('%s that leads nowhere is caught with its line', (_, text, target) => {
  expect(problemsIn({ 'README.md': text })).toEqual([
    { path: 'README.md', line: 2, message: `no such path: ${target}` },
  ]);
});

test.each([
  ['[words](GLOSSARY.md#the-log-1) and [the same](./GLOSSARY.md)'],
  ['[a site](https://example.org/docs/log.md) and [mail](mailto:a@example.org)'],
  ['`packages/*/src`, `core/log.ts`, `log.ts:12`, `packages/harness/src/`, `./docs/promises.md`'],
  [
    '`/api/sessions`, `@toolyard/sdk`, `text/event-stream`, `packages/<name>/src`, `Node.js`, `~/.toolyard/x.ts`',
  ],
  ['```ts\nimport "./docs/log.md"; // [x](nowhere.md) `docs/none.md`\n```'],
  ['    $ none\n\n``a `docs` span``'],
])('%s is fine', (text) => {
  expect(problemsIn({ 'README.md': text })).toEqual([]);
});

test('an anchor without its heading is caught, in the same page and in another', () => {
  const found = problemsIn({ 'docs/guide.md': '# A `b` c!\n[a](#a-b-c) [b](#b)\n[c](../GLOSSARY.md#none)' });
  expect(found).toEqual([
    { path: 'docs/guide.md', line: 2, message: 'no such heading: #b' },
    { path: 'docs/guide.md', line: 3, message: 'no such heading: ../GLOSSARY.md#none' },
  ]);
});

test.each([
  ['an npm script', '`npm run chekc`', 'no such npm script: chekc'],
  ['a command', '`npm start -- serv`', 'toolyard serv: Unknown command "serv".'],
  ['a command of the program', '`toolyard agents list`', 'toolyard agents list: Unknown command "agents".'],
  ['a subcommand', '`toolyard sessions shwo`', 'toolyard sessions shwo: Unknown command "sessions shwo".'],
  ['one of several subcommands', '`toolyard sessions list|fork`', 'Unknown command "sessions fork".'],
  ['a flag', '`toolyard serve --prot 1`', 'toolyard serve --prot 1: Unknown option "--prot".'],
  ['a flag in brackets', '`toolyard run [--jsno] "hi"`', 'Unknown option "--jsno".'],
  ['a flag without a command', '`npm start -- --json`', 'toolyard --json: Unknown option "--json".'],
  [
    'a flag that npm would swallow',
    '`npm start --port 1`',
    'npm keeps "--port" for itself; put -- before it',
  ],
])('%s that does not exist is caught', (_, text, message) => {
  expect(problemsIn({ 'README.md': text })).toEqual([
    { path: 'README.md', line: 1, message: expect.stringContaining(message) },
  ]);
});

test('a shell block is held to what would really run, each command on its line', () => {
  const text = `# Try
\`\`\`sh
npm start -- run "ping the server" | tee log # toolyard nothing
TOOLYARD_PORT=1 npm start -- --port 5 && toolyard sessions show
npm test; toolyard serve \\
  --verbose > serve.log 2>&1 &
\`\`\``;
  expect(problemsIn({ 'README.md': text })).toEqual([
    { path: 'README.md', line: 4, message: 'toolyard sessions show: "sessions show" needs an id.' },
    { path: 'README.md', line: 5, message: 'toolyard serve --verbose: Unknown option "--verbose".' },
  ]);
});

test.each([
  ['`toolyard`, `npm start`, `npm test`, `npm run check`, `npm run <script>`, `npm install`'],
  ['`toolyard sessions`, `toolyard sessions show`, `toolyard <command>`, `npm start -- …`'],
  ['`toolyard run [--json] "list|show what you like"`, `npm start -- --help`'],
  ['```console\n$ npm test\nnpm run nothing\n```'],
  ['```ts\nnpm run nothing\n```'],
])('%s names commands that exist', (text) => {
  expect(problemsIn({ 'README.md': text })).toEqual([]);
});

test('a promise that holds but that no running test cites is caught', () => {
  const found = problemsIn({
    'packages/harness/test/log.test.ts':
      "test.skip('P1: later', () => {});\n// P1: a comment\nlog('P1: a string');",
  });
  expect(found).toEqual([
    { path: 'docs/promises.md', line: 3, message: 'P1 holds, says the table, but no test cites it' },
  ]);
});

test('a citation of an unknown promise is caught', () => {
  const found = problemsIn({ 'packages/sdk/test/a.test.ts': "\nit('keeps order (P2)', () => {});" });
  expect(found).toEqual([
    { path: 'packages/sdk/test/a.test.ts', line: 2, message: 'P2 is not a promise in docs/promises.md' },
  ]);
});

test('a promises page without a table is caught', () => {
  const found = problemsIn({ 'docs/promises.md': '# Promises', 'packages/harness/test/log.test.ts': '' });
  expect(found).toEqual([{ path: 'docs/promises.md', line: 1, message: 'no row of the table is a promise' }]);
});

test('citations are read from every form of test title', () => {
  const text = [
    "describe('P1, P2: a kill', () => {});",
    "test.for([[1], [(2)]])('at %s (P12)', () => {});",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template belongs to the scanned text.
    "test.concurrent(`${'x'} P15: corrupt`, () => {});",
    "test('TP1 and P3 in passing', () => {});",
  ].join('\n');
  expect(findCitations({ path: 'a.test.ts', text }).map(({ id, line }) => [id, line])).toEqual([
    ['P1', 1],
    ['P2', 1],
    ['P12', 2],
    ['P15', 3],
  ]);
});

test('a document past its length is caught', () => {
  const found = problemsIn({ 'AGENTS.md': 'line\n'.repeat(81), 'ARCHITECTURE.md': 'line\n'.repeat(200) });
  expect(found).toEqual([{ path: 'AGENTS.md', line: 81, message: '81 lines; 80 are enough' }]);
});

test('shell words keep their quotes together and lose what is not the command', () => {
  const text = `A=1 npx curl -d '{"a": "b; c"}' "x\\"y" < in 2>/dev/null || echo a&&b`;
  expect(toShellCommands({ text, line: 1 }).map(({ words }) => words)).toEqual([
    ['curl', '-d', '{"a": "b; c"}', 'x\\"y'],
    ['echo', 'a'],
    ['b'],
  ]);
});

test('a tour is followed hop by hop', () => {
  const tour = (...lines: string[]) => ({
    'ARCHITECTURE.md': `# Architecture\n\n\`\`\`tour\n${lines.join('\n')}\n\`\`\`\n`,
    'packages/harness/src/http/app.ts': "import type { Queue } from '../core/queue.ts';",
    'packages/harness/src/core/queue.ts': "import { type Port, x } from '@toolyard/sdk';",
    'packages/harness/src/engines/one.ts': "import type { Port } from '@toolyard/sdk';",
    'packages/sdk/src/port.ts': 'export interface Port {}',
    'packages/sdk/src/other.ts': 'export interface Other {}',
  });
  const problemsOf = (...lines: string[]) =>
    problemsIn(tour(...lines)).map(({ path, line, message }) => `${path}:${line} ${message}`);
  const sound = ['http/app.ts', '-> core/queue.ts', '~> engines/one.ts by Port', '-> sdk/port.ts'];
  expect(problemsOf(...sound)).toEqual([]);
  expect(problemsOf('core/queue.ts', '-> http/app.ts')).toEqual([
    'ARCHITECTURE.md:5 packages/harness/src/core/queue.ts does not import packages/harness/src/http/app.ts',
  ]);
  expect(problemsOf('core/queue.ts', '-> sdk/other.ts')).toEqual([
    'ARCHITECTURE.md:5 packages/harness/src/core/queue.ts does not import packages/sdk/src/other.ts',
  ]);
  expect(problemsOf('http/app.ts', '~> engines/one.ts by Port')).toEqual([
    'ARCHITECTURE.md:5 packages/harness/src/http/app.ts and packages/harness/src/engines/one.ts do not both use Port',
  ]);
  expect(problemsOf('http/gone.ts')).toEqual(['ARCHITECTURE.md:4 no such step: http/gone.ts']);
});

test('the picture of the rooms shows them in their order', () => {
  const picture = (text: string) => ({
    'ARCHITECTURE.md': `\`\`\`mermaid\nsubgraph core\n${text}\n\`\`\`\n`,
  });
  const [first] = problemsIn(picture('a["1 files · 2 lib"]'));
  expect(first?.message).toBe("the picture of core's rooms is wrong at 1 lib");
  const { text = '' } = parsePage('ARCHITECTURE.md', readFileSync('ARCHITECTURE.md', 'utf8')).blocks[0] ?? {};
  expect(problemsIn(picture(text))).toEqual([]);
  expect(problemsIn(picture(`${text} 99 more`)).map(({ message }) => message)).toEqual([
    "the picture of core's rooms is wrong at 99 more",
  ]);
});
