import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../support/processor-time.ts';
import { writeFiles } from '../../support/workspace.ts';
import { createRandom, expectKinds, makeMachine, type Row } from './path-machine.ts';

const canMount = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;

describe('inside and outside', () => {
  test('F1 F2: a path is inside by its folders, not by how it begins or is spelled', () =>
    expectKinds('read', [
      ['src/main.ts', 'inside'],
      ['', 'inside'],
      ['.', 'inside'],
      ['<ws>', 'inside'],
      ['<ws>/not/there/yet.ts', 'inside'],
      ['src/../src//./main.ts', 'inside'],
      ['..hidden', 'inside'],
      ['<ws-evil>/x', 'outside'],
      ['../ws-evil/x', 'outside'],
      ['..', 'outside'],
      ['src/../../other/file', 'outside'],
      ['src//..//..//other/file', 'outside'],
      ['/', 'outside'],
      ['<other>/file', 'outside'],
      ['~', 'outside'],
      ['~/notes.txt', 'outside'],
      ['~somebody/notes.txt', 'outside'],
      ['%2e%2e%2fother%2ffile', 'outside'],
      ['%252e%252e%252fother', 'outside'],
      ['..\\other\\file', 'outside'],
      ['file://<other>/file', 'outside'],
      [' <other>/file', 'outside'],
      ['100%.txt', 'inside'],
      ['~$notes.docx', 'inside'],
    ]));

  test('an extra root counts like the workspace, and only what is below it', async () => {
    const { at, kindOf } = makeMachine();
    const also = { roots: [at('other')] };
    expect([
      await kindOf(at('other/file'), 'write', also),
      await kindOf(at('otherwise'), 'write', also),
      await kindOf(at('other/.mcp.json'), 'write', also),
    ]).toEqual(['inside', 'outside', 'denied']);
  });

  test('a workspace reached through a link is one workspace under both names', async () => {
    const { at, kindOf } = makeMachine();
    symlinkSync(at('ws'), at('alias'));
    const also = { cwd: at('alias'), workspace: at('alias') };
    expect([
      await kindOf('src/main.ts', 'read', also),
      await kindOf(at('ws/src/new.ts'), 'write', also),
      await kindOf(at('alias/src/new.ts'), 'write', also),
    ]).toEqual(['inside', 'inside', 'inside']);
  });

  test('relative paths begin at the session’s directory, not at the workspace', async () => {
    const { at, kindOf } = makeMachine();
    const also = { cwd: at('ws/src') };
    expect([await kindOf('../x', 'read', also), await kindOf('../../x', 'read', also)]).toEqual([
      'inside',
      'outside',
    ]);
  });
});

describe('F3: links', () => {
  test('a path counts as what it leads to, whether that exists or not', async () => {
    const machine = makeMachine();
    const { at } = machine;
    symlinkSync(at('other/file'), at('ws/link'));
    symlinkSync(at('other'), at('ws/folder'));
    symlinkSync('../other/not-there', at('ws/dangling'));
    symlinkSync('dangling', at('ws/twice'));
    symlinkSync('src/main.ts', at('ws/harmless'));
    symlinkSync(at('ws/src'), at('other/into'));
    symlinkSync('.mcp.json', at('ws/config.json'));
    symlinkSync(at('user/.toolyard'), at('ws/yard'));
    symlinkSync('loop', at('ws/loop'));
    await expectKinds(
      'write',
      [
        ['link', 'outside'],
        ['folder/new/leaf', 'outside'],
        ['dangling', 'outside'],
        ['twice', 'outside'],
        ['harmless', 'inside'],
        // Where it leads is inside; that it goes there by way of a stranger is worth a question.
        ['<other>/into/main.ts', 'outside'],
        ['config.json', 'denied'],
        ['yard', 'denied'],
        ['yard/roles/new.md', 'denied'],
        ['loop', 'denied'],
        ['loop/below', 'denied'],
      ],
      machine,
    );
  });

  test('a `..` behind a link is judged by both its readings', async () => {
    const { at, kindOf } = makeMachine();
    mkdirSync(at('other/deep'));
    symlinkSync(at('other/deep'), at('ws/link'));
    expect([await kindOf('link/../file'), await kindOf('link/../src/main.ts')]).toEqual([
      'outside',
      'outside',
    ]);
  });
});

describe('Toolyard’s home', () => {
  test('is denied for reading and writing, however it is named', async () => {
    const rows: Row[] = [
      ['<user>/.toolyard', 'denied'],
      ['<user>/.toolyard/token', 'denied'],
      ['<user>/.toolyard/not-there', 'denied'],
      ['~/.toolyard/token', 'denied'],
      ['../user/.toolyard/token', 'denied'],
      ['<user>/.TOOLYARD/Token', 'denied'],
      ['<user>/.toolyard./token', 'denied'],
      ['<user>/x/../.toolyard/token', 'denied'],
      ['<user>/.toolyard\u200b/token', 'denied'],
      ['<user>/.%74oolyard/token', 'denied'],
    ];
    await expectKinds('read', rows);
    await expectKinds('write', rows);
  });

  test('stays denied when the workspace is around it, or is it', async () => {
    const { at, kindOf } = makeMachine();
    expect([
      await kindOf('.toolyard/token', 'read', { cwd: at('user'), workspace: at('user') }),
      await kindOf('token', 'read', { cwd: at('user/.toolyard'), workspace: at('user/.toolyard') }),
      await kindOf('notes.txt', 'read', { cwd: at('user'), workspace: at('user') }),
    ]).toEqual(['denied', 'denied', 'inside']);
  });

  test.skipIf(!canMount)(
    'is known by its place on the disk when a second mount gives it another name',
    () => {
      const { at } = makeMachine();
      mkdirSync(at('elsewhere'));
      const judged = { path: at('elsewhere/token'), access: 'read' };
      const within = {
        cwd: at('ws'),
        workspace: at('ws'),
        home: at('user/.toolyard'),
        userHome: at('user'),
        roots: [],
      };
      const script = `import { judgePath } from ${JSON.stringify(new URL('../../../src/core/protected-paths/protected-paths.ts', import.meta.url))};
      console.log((await judgePath(${JSON.stringify(judged)}, ${JSON.stringify(within)})).kind);`;
      const seen = execFileSync('bwrap', [
        ...['--dev-bind', '/', '/', '--bind', within.home, at('elsewhere'), '--', process.execPath],
        ...['--conditions=toolyard-source', '--input-type=module', '-e', script],
      ]);
      expect(seen.toString().trim()).toBe('denied');
    },
  );
});

describe('F8 F5: what must not be opened at all', () => {
  test('devices, process files and impossible paths are denied by name', async () => {
    const rows: Row[] = [
      ['/dev/zero', 'denied'],
      ['/dev/stdin', 'denied'],
      ['/dev/fd/0', 'denied'],
      ['/proc/self/environ', 'denied'],
      ['/proc/self/mem', 'denied'],
      ['/proc/1/environ', 'denied'],
      ['/proc/thread-self/environ', 'denied'],
      ['/proc/self/root/etc/hosts', 'denied'],
      ['/proc/kcore', 'denied'],
      ['//proc/./self//environ', 'denied'],
      ['a\0b', 'denied'],
      ['src/main.ts\0.png', 'denied'],
      ['a%00b', 'denied'],
      [`x${'y'.repeat(9_000)}`, 'denied'],
    ];
    await expectKinds('read', rows);
    await expectKinds('write', rows);
    await expectKinds('read', [['/proc/cpuinfo', 'outside']]);
    await expectKinds('write', [
      ['/proc/sys/kernel/core_pattern', 'denied'],
      ['/sys/power/state', 'denied'],
    ]);
  });

  test('a pipe in the workspace is denied without being opened, under its own name and through a link', async () => {
    const { at, kindOf } = makeMachine();
    execFileSync('mkfifo', [at('ws/pipe')]);
    symlinkSync('pipe', at('ws/readme.md'));
    symlinkSync('/dev/zero', at('ws/data'));
    symlinkSync('/proc/self/environ', at('ws/env'));
    expect([
      await kindOf('pipe'),
      await kindOf('pipe', 'write'),
      await kindOf('readme.md'),
      await kindOf('data'),
      await kindOf('env'),
    ]).toEqual(['denied', 'denied', 'denied', 'denied', 'denied']);
  });
});

test('no text makes it throw', async () => {
  const { judge } = makeMachine();
  const random = createRandom(7);
  const alphabet = [
    '/',
    '.',
    '..',
    '~',
    '%',
    '%2',
    '%ff',
    '{',
    ',',
    '}',
    '[',
    ']',
    '*',
    '\\',
    '\0',
    '\ud800',
    'é',
    ':',
    ' ',
    'a',
  ];
  const texts = Array.from({ length: 300 }, () =>
    Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)]).join(''),
  );
  const verdicts = await Promise.all(texts.map((text, index) => judge(text, index % 2 ? 'read' : 'write')));
  expect(verdicts.map(({ kind }) => kind)).not.toContain(undefined);
});

test('a text of hostile length is answered soon', async () => {
  const { judge } = makeMachine();
  const started = processorMs();
  const texts = [
    'a/'.repeat(4_000),
    'a/../'.repeat(1_600),
    `{${','.repeat(8_000)}`,
    '{'.repeat(8_000),
    '%2e'.repeat(2_700),
  ];
  await Promise.all([...texts, '{a,b}'.repeat(7), `${'*'.repeat(8_000)}/.env`].map((text) => judge(text)));
  expect(processorMs() - started).toBeLessThan(2_000);
});

test('F3: a file that is a protected one by another name asks, and is denied when it is one of the home', async () => {
  const { at, judge } = makeMachine();
  writeFiles(at('ws'), { '.mcp.json': '{}', '.git/hooks/pre-commit': '', 'src/one.ts': '' });
  writeFiles(at('user'), { '.bashrc': '' });
  const names = { 'a.json': 'ws/.mcp.json', 'b.sh': 'ws/.git/hooks/pre-commit', 'c.sh': 'user/.bashrc' };
  for (const [name, file] of Object.entries(names)) {
    linkSync(at(file), at(`ws/${name}`));
    const rule = `it is the same file as ${at(file)}, which is protected`;
    expect(await judge(name, 'write')).toEqual({ kind: 'ask', rule });
    expect(await judge(name, 'read')).toEqual({ kind: 'ask', rule });
  }
  // By its own name it is what it was.
  expect(await judge('.mcp.json', 'read')).toEqual({ kind: 'inside' });
  expect(await judge('.mcp.json', 'write')).toMatchObject({ kind: 'denied' });
  linkSync(at('user/.toolyard/token'), at('ws/token.txt'));
  expect(await judge('token.txt', 'read')).toMatchObject({ kind: 'denied' });
  linkSync(at('ws/src/one.ts'), at('ws/two.ts'));
  expect(await judge('two.ts', 'write')).toEqual({ kind: 'inside' });
});
