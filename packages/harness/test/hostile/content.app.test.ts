// Names, paths and files that people and programs hand in: only what has the right form gets further.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnyRoute, routes } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { memoryDirectory, openTestYard } from '../support/yard.ts';
import { openTarget } from './http-target.ts';

async function openNames() {
  const target = await openTarget();
  const headers = { ...target.bearer, 'content-type': 'application/json' };
  const create = async (body: unknown) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await target.request('/api/sessions', init);
    return { status: response.status, body: await response.json() };
  };
  return { ...target, create, files: () => readdir(target.yard.home, { recursive: true }) };
}

const notNames = [
  '',
  '.',
  '..',
  '../../x',
  '/etc/passwd',
  'a/../../b',
  '..\\x',
  '%2e%2e%2f',
  'a'.repeat(300),
  '🙂',
  'а-cyrillic',
  'a\0b',
  'a\nb',
  'a ',
  '-a',
  '__proto__',
  null,
  7,
  ['assistant'],
  { toString: 'assistant' },
];

describe('C5: a name that is none', () => {
  it.each(['role', 'engine', 'model', 'mode'])(
    'C5: as %s is refused by its field, and nothing is created',
    async (field) => {
      const { create, facts, files } = await openNames();
      const before = [await facts(), await files()];
      for (const name of notNames) {
        const { status, body } = await create({ [field]: name });
        expect([name, status, body.error.code]).toEqual([name, 400, 'invalid_request']);
        expect(body.error.data.issues.map(({ path }: { path: string }) => path)).toEqual([field]);
      }
      expect([await facts(), await files()]).toEqual(before);
    },
  );

  it.each([
    ['role', 'constructor', 'unknown_role'],
    ['role', 'a'.repeat(64), 'unknown_role'],
    ['engine', 'constructor', 'unknown_engine'],
    ['engine', 'native', 'unknown_engine'],
  ])('C5: %s "%s" has the form of a name, but nobody has it', async (field, name, code) => {
    const { create, facts } = await openNames();
    const before = await facts();
    expect(await create({ [field]: name })).toMatchObject({ status: 400, body: { error: { code } } });
    expect(await facts()).toEqual(before);
  });

  it.each(['', 'a'.repeat(201), 'a\0b', 'a\nb', '\u001b[2J', 'half \ud800', null, 7, ['a']])(
    'C5: %j is no title',
    async (title) => {
      const { create, facts } = await openNames();
      const before = await facts();
      const { status, body } = await create({ title });
      expect([status, body.error.data.issues[0].path]).toEqual([400, 'title']);
      expect(await facts()).toEqual(before);
    },
  );

  it('C5: a title is free text otherwise, and never a path', async () => {
    const { create, files } = await openNames();
    const before = await files();
    for (const title of ['../../x', '.', '🙂', 'а-cyrillic', '%2e%2e%2f']) {
      expect(await create({ title })).toMatchObject({ status: 201, body: { title } });
    }
    expect(await files()).toEqual(before);
  });

  it('C5: as a session is not found, on every route that takes one', async () => {
    const { request, bearer, facts } = await openNames();
    const before = await facts();
    const ids = [
      'x',
      '..%2f..%2fx',
      '%2e%2e%2fx',
      '%00',
      '%f0%9f%99%82',
      '%ff',
      'a'.repeat(300),
      `ses_${'0'.repeat(22)}`,
      `SES_${'0'.repeat(22)}`,
      `ses_${'0'.repeat(22)}%0a`,
    ];
    const taking = Object.values<AnyRoute>(routes).filter(({ path }) => path.includes(':id'));
    for (const { method, path } of taking) {
      for (const id of ids) {
        const headers = { ...bearer, 'content-type': 'application/json' };
        const body = path.endsWith('/messages')
          ? '{"content":"hi"}'
          : method === 'PATCH'
            ? '{"title":"t"}'
            : null;
        const response = await request(path.replace(':id', id), { method, headers, body });
        const { error } = await response.json();
        if (path.startsWith('/api/sessions')) {
          expect([id, response.status, error.code]).toEqual([id, 404, 'session_not_found']);
        } else {
          // Without the body or query that these need, they are refused before they look.
          expect([id, error.code]).toEqual([id, expect.stringMatching(/^invalid_request$|_not_found$/)]);
        }
      }
    }
    expect(await facts()).toEqual(before);
  });

  it('C5: as an idempotency key or a page is refused', async () => {
    const { request, id, bearer, facts } = await openNames();
    const before = await facts();
    for (const key of ['a b', 'é', 'a'.repeat(256), 'a, b']) {
      const headers = { ...bearer, 'content-type': 'application/json', 'idempotency-key': key };
      const init = { method: 'POST', headers, body: '{"content":"hi"}' };
      expect((await request(`/api/sessions/${id}/messages`, init)).status).toBe(400);
    }
    for (const query of [
      'after=../x',
      'after=',
      'limit=0',
      'limit=501',
      'limit=1.5',
      'limit=-1',
      'limit=x',
      'offset=1',
      'constructor=1',
    ]) {
      expect([query, (await request(`/api/sessions?${query}`, { headers: bearer })).status]).toEqual([
        query,
        400,
      ]);
    }
    expect(await facts()).toEqual(before);
  });
});

describe('C5: a directory that is none', () => {
  it('C5: is refused by its field, and nothing is created', async () => {
    const { create, facts, files, yard } = await openNames();
    const { home } = yard;
    await writeFile(join(home, 'file'), '');
    await symlink(join(home, 'circle'), join(home, 'circle'));
    await symlink(join(home, 'nowhere'), join(home, 'dangling'));
    const before = [await facts(), await files()];
    const paths = [
      '',
      '.',
      'x',
      './x',
      '~',
      '~/x',
      'file:///',
      `${home}\0`,
      `/\0${home}`,
      join(home, 'missing'),
      join(home, 'file'),
      join(home, 'file/x'),
      join(home, 'circle'),
      join(home, 'dangling'),
      `/${'a'.repeat(300)}`,
      `/${'a/'.repeat(2_040)}`,
      `/${'a'.repeat(5_000)}`,
      null,
      7,
      [],
    ];
    for (const cwd of paths) {
      const { status, body } = await create({ cwd });
      expect([cwd, status, body.error.code]).toEqual([cwd, 400, 'invalid_request']);
      expect(body.error.message).toContain('cwd');
    }
    expect([await facts(), await files()]).toEqual(before);
  });

  it('C5: with dots is stored as what it means, and its workspace is its own ancestor', async () => {
    const { create, yard } = await openNames();
    const { work } = yard;
    await mkdir(join(work, 'decoy/inner'), { recursive: true });
    await mkdir(join(work, 'real'));
    await writeFile(join(work, 'decoy/toolyard.yaml'), '');
    const { body } = await create({ cwd: `${work}/decoy/inner/../../real/.//` });
    expect(body).toMatchObject({ cwd: join(work, 'real'), workspace: join(work, 'real') });
  });
});

describe('a configuration that is an attack', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((key, index) => {
      const last = 'abcdefgh'[index];
      return `${key}: &${key} [${Array(9).fill(`*${last}`).join()}]`;
    }),
  ].join('\n');

  it.each([
    ['C2: an alias bomb', bomb],
    ['C2: 10,000 levels of lists', '['.repeat(10_000)],
    [
      'C2: 10,000 levels of blocks',
      Array.from({ length: 10_000 }, (_, depth) => `${' '.repeat(Math.min(depth, 200))}a:`).join('\n'),
    ],
    ['C2: 10 MB', `# ${'x'.repeat(10 * 1024 * 1024)}`],
    ['C2: bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1, 2])],
    ['C3: a prototype', '__proto__:\n  polluted: true\n'],
    ['C3: a prototype further in', 'defaults: { __proto__: { polluted: true } }\n'],
    ['C3: a constructor', 'constructor: { prototype: { polluted: true } }\n'],
    ['C3: a merged prototype', 'defaults:\n  <<: { __proto__: { polluted: true } }\n'],
    ['C5: a role that is a path', 'defaults: { role: ../../x }\n'],
    ['C5: a model that is a path', 'defaults: { model: ../../x }\n'],
    ['C5: an engine that is an emoji', 'defaults: { engine: 🙂 }\n'],
  ])('%s is refused fast, and the yard does not open', async (_, text) => {
    const home = await memoryDirectory();
    await writeFile(join(home, 'config.yaml'), text);
    const started = performance.now();
    await expect(openTestYard({ home })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(join(home, 'config.yaml')),
    });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    // Beside it lies only what keeps a restore and a start apart.
    expect(await readdir(home)).toEqual(['config.yaml', 'home.lock']);
  });

  it('C2: a pipe or a directory in its place is refused, not waited for', async () => {
    for (const make of [(path: string) => mkdir(path), (path: string) => execFileSync('mkfifo', [path])]) {
      const home = await memoryDirectory();
      await make(join(home, 'config.yaml'));
      await expect(openTestYard({ home })).rejects.toMatchObject({ code: 'invalid_config' });
    }
  });
});
