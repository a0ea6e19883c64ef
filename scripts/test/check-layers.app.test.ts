// Plants each breach of the dependency rule once, and each look-alike that must pass.
import { expect, test } from 'vitest';
import { findUnusedNames, findViolations } from '../check-layers.ts';
import { findImports } from '../layers/find-imports.ts';

const manifests = {
  'packages/sdk/package.json': JSON.stringify({
    name: '@toolyard/sdk',
    dependencies: { zod: '4' },
    exports: {
      '.': { 'toolyard-source': './src/index.ts' },
      './testing': { 'toolyard-source': './src/testing/index.ts' },
    },
  }),
  'packages/harness/package.json': JSON.stringify({
    name: 'toolyard',
    dependencies: {
      '@toolyard/sdk': '0',
      '@ai-sdk/anthropic': '4',
      hono: '4',
      kysely: '0',
      zod: '4',
      yaml: '2',
    },
  }),
  'packages/sdk/src/index.ts': "export * from './tool.ts';",
  'packages/sdk/src/tool.ts': "import { z } from 'zod';",
};

function violationsIn(files: Record<string, string>) {
  const all = { ...manifests, ...files };
  return findViolations(Object.entries(all).map(([path, text]) => ({ path, text })));
}

test('a yard that keeps the rule has no violations', () => {
  const found = violationsIn({
    'packages/harness/src/cli/main.ts': "import { createApp } from '../app.ts';\nimport '@toolyard/sdk';",
    'packages/harness/src/app.ts':
      "import './http/app.ts';\nconst load = () => import('./engines/native/engine.ts');",
    'packages/harness/src/http/app.ts':
      "import { Hono } from 'hono';\nimport '../core/log.ts';\nimport 'node:http';",
    'packages/harness/src/core/log.ts':
      "import type { Store } from '@toolyard/sdk';\nimport { parse } from 'yaml';",
    'packages/harness/src/store/sqlite.ts':
      "import { DatabaseSync } from 'node:sqlite';\nimport { Kysely } from 'kysely';",
    'packages/harness/src/engines/native/engine.ts':
      "import { createAnthropic } from '@ai-sdk/anthropic';\nimport '@toolyard/sdk';",
  });
  expect(found).toEqual([]);
});

test('a middle folder that imports another is caught with its line', () => {
  const found = violationsIn({
    'packages/harness/src/http/app.ts': "import 'hono';\nimport { open } from '../store/sqlite.ts';",
    'packages/harness/src/store/sqlite.ts': '',
  });
  expect(found).toEqual([
    {
      path: 'packages/harness/src/http/app.ts',
      line: 2,
      rule: 'layer',
      message: 'http must not import store (packages/harness/src/store/sqlite.ts)',
    },
  ]);
});

test.each([
  ['a type-only import', "import type { Open } from '../store/sqlite.ts';"],
  ['an inline type import', "type Open = import('../store/sqlite.ts').Open;"],
  ['a dynamic import', "const open = await import('../store/sqlite.ts');"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template belongs to the scanned text.
  ['a dynamic import in a template', 'const text = `${await import("../store/sqlite.ts")}`;'],
  ['a dynamic import of a template literal', 'const open = await import(`../store/sqlite.ts`);'],
  ['a re-export', "export { open } from '../store/sqlite.ts';"],
  ['a re-export of types', "export type { Open } from '../store/sqlite.ts';"],
  ['a star re-export', "export * as store from '../store/sqlite.ts';"],
  ['a bare import', "import '../store/sqlite.ts';"],
  ['a clause over many lines', "import {\n  type Open, // why\n  from,\n} from '../store/sqlite.ts';"],
  ['a require', "const { open } = require('../store/sqlite.ts');"],
  ['a module URL', "new Worker(new URL('../store/sqlite.ts', import.meta.url));"],
])('%s across the rule is caught', (_, text) => {
  const found = violationsIn({
    'packages/harness/src/http/app.ts': text,
    'packages/harness/src/store/sqlite.ts': '',
  });
  expect(found.map(({ rule }) => rule)).toEqual(['layer']);
});

test.each([
  ['core', 'packages/harness/src/core/log.ts', "import '../app.ts';"],
  ['an engine', 'packages/harness/src/engines/native/engine.ts', "import '../../core/log.ts';"],
  ['the command line', 'packages/harness/src/cli/run.ts', "import '../core/log.ts';"],
  ['the app', 'packages/harness/src/app.ts', "import './cli/run.ts';"],
  ['product code', 'packages/harness/src/core/turns.ts', "import '@toolyard/sdk/testing';"],
])('%s must not import upwards', (_, path, text) => {
  const found = violationsIn({
    'packages/harness/src/app.ts': '',
    'packages/harness/src/core/log.ts': '',
    'packages/harness/src/cli/run.ts': '',
    'packages/sdk/src/testing/index.ts': '',
    [path]: text,
  });
  expect(found.map((violation) => [violation.path, violation.rule])).toEqual([[path, 'layer']]);
});

test('a module of Node in the SDK is caught, its testing folder and the short name included', () => {
  const found = violationsIn({
    'packages/sdk/src/client.ts': "import { request } from 'node:http';",
    'packages/sdk/src/testing/index.ts': "import { join } from 'path';",
  });
  expect(found).toEqual([
    {
      path: 'packages/sdk/src/client.ts',
      line: 1,
      rule: 'builtin',
      message: 'sdk must not use node:http',
    },
    {
      path: 'packages/sdk/src/testing/index.ts',
      line: 1,
      rule: 'builtin',
      message: 'sdk/testing must not use node:path',
    },
  ]);
});

test('a second home for a library is caught, static or dynamic', () => {
  const found = violationsIn({
    'packages/harness/src/rehearsal/endpoint.ts': "import { Hono } from 'hono/tiny';",
    'packages/harness/src/core/log.ts': "const sqlite = await import('node:sqlite');",
  });
  expect(found.map(({ rule, message }) => [rule, message])).toEqual([
    ['home', 'hono lives in packages/harness/src/http only'],
    ['home', 'node:sqlite lives in packages/harness/src/store only'],
  ]);
});

test('a library that nobody listed or housed is caught twice', () => {
  const found = violationsIn({ 'packages/harness/src/core/log.ts': "import _ from 'left-pad/lib';" });
  expect(found.map(({ rule, message }) => [rule, message])).toEqual([
    ['home', 'left-pad has no home yet; give it one in scripts/layers/rules.ts'],
    ['unlisted', 'left-pad is not in the dependencies of packages/harness/package.json'],
  ]);
});

test('reaching into another package by path or by a subpath it does not offer is caught', () => {
  const found = violationsIn({
    'packages/harness/src/core/log.ts':
      "import '../../../sdk/src/tool.ts';\nimport '@toolyard/sdk/src/tool.ts';",
  });
  expect(found.map(({ rule, line }) => [rule, line])).toEqual([
    ['deep', 1],
    ['deep', 2],
  ]);
});

test('product code that imports a test is caught', () => {
  const found = violationsIn({ 'packages/harness/src/core/log.ts': "import '../../test/core/log.ts';" });
  expect(found.map(({ rule }) => rule)).toContain('deep');
});

test('a cycle is caught once and named in full, type-only edges included', () => {
  const found = violationsIn({
    'packages/harness/src/core/a.ts': "import './b.ts';",
    'packages/harness/src/core/b.ts': "import type { C } from './c.ts';",
    'packages/harness/src/core/c.ts': "const a = () => import('./a.ts');",
  });
  const core = 'packages/harness/src/core';
  expect(found).toEqual([
    {
      path: `${core}/a.ts`,
      line: 1,
      rule: 'cycle',
      message: `imports itself: ${core}/a.ts -> ${core}/b.ts -> ${core}/c.ts -> ${core}/a.ts`,
    },
  ]);
});

test('an import whose target is computed or escaped is refused', () => {
  const found = violationsIn({
    'packages/harness/src/core/log.ts': "import(name);\nimport('../' + name);\nimport('\\x68ono');",
  });
  expect(found.map(({ rule, line }) => [rule, line])).toEqual([
    ['computed', 1],
    ['computed', 2],
    ['computed', 3],
  ]);
});

test('a folder that the rule does not know is refused', () => {
  const found = violationsIn({ 'packages/harness/src/misc/log.ts': '' });
  expect(found.map(({ rule, path }) => [rule, path])).toEqual([
    ['layer', 'packages/harness/src/misc/log.ts'],
  ]);
});

test('a room that imports a later one is caught, the folder’s own files included', () => {
  const core = 'packages/harness/src/core';
  const found = violationsIn({
    [`${core}/log/log.ts`]: "import '../lib/ids.ts';\nimport type { Turns } from '../turns/turns.ts';",
    [`${core}/lib/ids.ts`]: "import '../core.ts';",
    [`${core}/turns/turns.ts`]: '',
    [`${core}/core.ts`]: "import './turns/turns.ts';",
    'packages/harness/src/store/backup/copy.ts': "import '../open.ts';",
    'packages/harness/src/store/open.ts': "import './backup/copy.ts';",
  });
  expect(
    found.filter(({ rule }) => rule === 'room').map(({ path, line, message }) => [path, line, message]),
  ).toEqual([
    [
      `${core}/log/log.ts`,
      2,
      `log comes before turns in ${core} and must not import it (${core}/turns/turns.ts)`,
    ],
    [`${core}/lib/ids.ts`, 1, `lib comes before . in ${core} and must not import it (${core}/core.ts)`],
    [
      'packages/harness/src/store/open.ts',
      1,
      '. comes before backup in packages/harness/src/store and must not import it (packages/harness/src/store/backup/copy.ts)',
    ],
  ]);
});

test('a room that lies in another keeps its own place', () => {
  const found = violationsIn({
    'packages/sdk/src/protocol/content/image.ts': "import '../routes/route.ts';",
    'packages/sdk/src/protocol/routes/route.ts':
      "import '../content/image.ts';\nimport '../../engine/tool.ts';",
    'packages/sdk/src/engine/tool.ts': '',
  });
  expect(found.filter(({ rule }) => rule === 'room').map(({ path }) => path)).toEqual([
    'packages/sdk/src/protocol/content/image.ts',
  ]);
});

test('a folder that is no listed room is refused', () => {
  const found = violationsIn({
    'packages/harness/src/core/misc/log.ts': "import '../lib/ids.ts';",
    'packages/harness/src/core/calls/deep/run.ts': '',
  });
  const message = (folder: string) =>
    `${folder} is no room; enter it in scripts/layers/rules.ts or move the file`;
  expect(found.map(({ rule, message }) => [rule, message])).toEqual([
    ['room', message('packages/harness/src/core/misc')],
    ['room', message('packages/harness/src/core/calls/deep')],
  ]);
});

test('a layer, a room, a file or a library that the rule names and nobody has is told', () => {
  const files = {
    'packages/harness/package.json': '{}',
    'packages/harness/src/core/lib/ids.ts': "import { z } from 'zod';",
    'packages/web/src/parts/theme.css': '',
  };
  const found = findUnusedNames(Object.entries(files).map(([path, text]) => ({ path, text })));
  const names = found.map(({ message }) => message.replace(' is named here and does not exist', ''));
  expect(names).toEqual(
    expect.arrayContaining([
      'http',
      'web',
      'packages/harness/src/core/turns',
      'packages/web/src/parts',
      'packages/harness/src/engines/native',
      'packages/harness/test/crash/server-process.ts',
      'packages/harness/src/store/open.ts',
      'hono',
      '@ai-sdk/*',
    ]),
  );
  for (const there of ['core', 'packages/harness/src/core/lib', 'packages/harness/src', 'zod'])
    expect(names).not.toContain(there);
});

test('a file that is opened by its path where agents may write is refused; looking at names is not', () => {
  const found = violationsIn({
    'packages/harness/src/core/worktrees/look.ts':
      "import { type FileHandle, lstat } from 'node:fs/promises';\nimport type { Stats } from 'node:fs';",
    'packages/harness/src/core/worktrees/open.ts':
      "import { lstat, open as opened } from 'node:fs/promises';\nimport * as fs from 'node:fs';",
    'packages/harness/src/store/open.ts': "import { open } from 'node:fs/promises';",
  });
  expect(
    found.map(({ path, line, rule, message }) => [path, line, rule, message.split(' where')[0]]),
  ).toEqual([
    ['packages/harness/src/core/worktrees/open.ts', 1, 'files', 'uses open'],
    ['packages/harness/src/core/worktrees/open.ts', 2, 'files', 'uses * as fs'],
  ]);
});

test('a hook at the top of a module that tests share is refused, inside a function it is not', () => {
  const found = violationsIn({
    'packages/harness/test/support/stage.ts':
      "import { afterAll } from 'vitest';\nexport function setStage() {\n  afterAll(() => {});\n}\nafterAll(() => {});",
    'packages/harness/test/x.test.ts': "import './support/stage.ts';\nafterAll(() => {});",
  });
  expect(found.map(({ path, line, rule }) => [path, line, rule])).toEqual([
    ['packages/harness/test/support/stage.ts', 5, 'ring'],
  ]);
});

const starter = 'packages/harness/test/cli/toolyard-process.ts';

test.each([
  ['pure', 'x.test.ts', "import { request } from 'node:http';", 'x.app.test.ts'],
  ['pure', 'x.test.ts', "import { openYard } from '../src/app.ts';", 'x.app.test.ts'],
  [
    'pure',
    'x.test.ts',
    "import '../src/app.ts';\nimport { chromium } from 'playwright-core';",
    'x.real.test.ts',
  ],
  ['pure', 'x.test.ts', "import './support/yard.ts';", 'x.app.test.ts'],
  ['app', 'x.app.test.ts', "import 'playwright-core';", 'x.real.test.ts'],
  ['app', 'x.app.test.ts', "import './cli/toolyard-process.ts';", 'x.real.test.ts'],
])('a test of the ring %s that reaches out of it is told its name (%#)', (ring, name, text, wanted) => {
  const found = violationsIn({
    'packages/harness/src/app.ts': '',
    'packages/harness/test/support/yard.ts': "import { openYard } from '../../src/app.ts';",
    [starter]: "import { spawn } from 'node:child_process';",
    [`packages/harness/test/${name}`]: text,
  });
  expect(found.map(({ path, rule }) => [path, rule])).toEqual([[`packages/harness/test/${name}`, 'ring']]);
  expect(found[0]?.message).toMatch(`a test of the ring ${ring} must not import `);
  expect(found[0]?.message).toMatch(`; rename it to ${wanted}`);
});

test('the file between a test and what it must not import is named, and the line is the test’s own', () => {
  const found = violationsIn({
    'packages/harness/src/app.ts': '',
    'packages/harness/test/support/yard.ts': "\nimport { openYard } from '../../src/app.ts';",
    'packages/harness/test/x.test.ts': "import 'vitest';\nimport './support/yard.ts';",
  });
  const message =
    'a test of the ring pure must not import packages/harness/src/app.ts (through packages/harness/test/support/yard.ts); rename it to x.app.test.ts';
  expect(found).toEqual([{ path: 'packages/harness/test/x.test.ts', line: 2, rule: 'ring', message }]);
});

test('types, the files of programs and other rings may be named', () => {
  const found = violationsIn({
    'packages/harness/src/app.ts': "import './core/log.ts';",
    'packages/harness/src/core/log.ts': '',
    [starter]: '',
    'packages/harness/test/x.test.ts': [
      "import type { Yard } from '../src/app.ts';",
      "import { type Server, type Socket } from 'node:net';",
      "export type { Program } from './cli/toolyard-process.ts';",
      "import '../src/core/log.ts';",
      "const program = new URL('./cli/toolyard-process.ts', import.meta.url);",
    ].join('\n'),
    'packages/harness/test/x.app.test.ts': "import '../src/app.ts';\nimport 'node:http';",
    'packages/harness/test/x.real.test.ts': "import 'playwright-core';\nimport './cli/toolyard-process.ts';",
  });
  expect(found).toEqual([]);
});

test.each([
  ["import { type A, b } from 'x';", undefined],
  ["import type, { b } from 'x';", undefined],
  ["import { type } from 'x';", undefined],
  ["import { type as b } from 'x';", undefined],
  ["import a, { type B } from 'x';", undefined],
  ["import { type A as B } from 'x';", true],
  ["import type A from 'x';", true],
  ["export type * from 'x';", true],
])('%s', (text, typesOnly) => {
  expect(findImports(text)).toEqual([
    { specifier: 'x', line: 1, kind: 'module', ...(typesOnly && { typesOnly }) },
  ]);
});

test.each([
  ['a line comment', "// import x from '../store/sqlite.ts'"],
  ['a block comment', "/**\n   Don't:\n   import x from '../store/sqlite.ts';\n */"],
  ['a string', `const text = "import x from '../store/sqlite.ts'";`],
  ['a template', "const text = `import x from '../store/sqlite.ts'`;"],
  ['a regular expression', "const pattern = /import '..\\/store'/; // '"],
  ['a quote in a regular expression', "const quote = /['\"`]/;\n// import '../store/sqlite.ts'"],
  ['a slash that divides', "const half = size / 2; // import('../store/sqlite.ts') / 2"],
  ['a property', "client.import('../store/sqlite.ts');"],
  ['a local export', "export { open };\nconst from = 'x';"],
])('%s that looks like an import is not one', (_, text) => {
  expect(findImports(text)).toEqual([]);
});

test('the code inside a template is still read, and what follows it too', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template belongs to the scanned text.
  const text = "const a = `x ${{ b: `${import('one')}` }.b} import('no')`;\nimport 'two';";
  expect(findImports(text)).toEqual([
    { specifier: 'one', line: 1, kind: 'module' },
    { specifier: 'two', line: 2, kind: 'module' },
  ]);
});
