import { describe, expect, test } from 'vitest';
import { absentTools, toCurrentName } from '../../../../src/engines/claude/tools/absent-tools.ts';
import { nativeTools } from '../../../../src/engines/claude/tools/native-tools.ts';
import { excludeSecrets, toDenyRules } from '../../../../src/engines/claude/tools/search-scope.ts';
import { processorMs } from '../../../support/processor-time.ts';

const find = (name: string) => {
  const tool = nativeTools.find((each) => each.name === `claude:${name}`);
  if (!tool) throw new Error(`There is no ${name}.`);
  return tool;
};
const pathsOf = (name: string, input: unknown) => find(name).paths?.(input) ?? [];
const keyOf = (name: string, input: unknown) => find(name).grantKey?.(input);
const read = (path: string) => ({ path, access: 'read' });
const write = (path: string) => ({ path, access: 'write' });

test('every tool has one place: offered once, or absent with a reason', () => {
  const offered = nativeTools.map(({ name }) => name.replace('claude:', ''));
  const all = [...offered, ...absentTools.keys()];
  expect(new Set(all).size).toBe(all.length);
  expect([...absentTools.values()].every((reason) => reason.length > 10)).toBe(true);
});

test('what the house plan keeps out is absent, under older names too', () => {
  const names = [
    'Agent',
    'Task',
    'Workflow',
    'CronCreate',
    'ScheduleWakeup',
    'Monitor',
    'SendMessage',
    'Skill',
  ];
  expect(names.filter((name) => !absentTools.has(toCurrentName(name)))).toEqual([]);
  expect(['Task', 'KillShell', 'KillBash', 'Bash'].map(toCurrentName)).toEqual([
    ...['Agent', 'TaskStop', 'TaskStop', 'Bash'],
  ]);
});

test('nothing that writes or runs commands is judged as reading, or runs unasked', () => {
  const judged = nativeTools.filter(({ effect }) => effect !== 'read');
  expect(Object.fromEntries(judged.map(({ name, effect, tier }) => [name, `${effect} ${tier}`]))).toEqual({
    'claude:Write': 'write session',
    'claude:Edit': 'write session',
    'claude:NotebookEdit': 'write session',
    'claude:Bash': 'execute session',
    'claude:PowerShell': 'execute session',
    'claude:TaskStop': 'execute auto',
    'claude:WebFetch': 'execute session',
    'claude:WebSearch': 'execute session',
  });
});

describe('what a call touches', () => {
  test.each<[string, string, unknown, unknown]>([
    ['Read: its file', 'Read', { file_path: '/a/b', limit: 3 }, [read('/a/b')]],
    ['Write: its file', 'Write', { file_path: 'x', content: '' }, [write('x')]],
    ['Edit: its file, which it shows as well', 'Edit', { file_path: 'x' }, [read('x'), write('x')]],
    ['NotebookEdit: its notebook', 'NotebookEdit', { notebook_path: 'n' }, [read('n'), write('n')]],
    ['LSP: its file', 'LSP', { operation: 'hover', filePath: 'x.ts' }, [read('x.ts')]],
    ['Glob: the directory and its pattern', 'Glob', { pattern: '**/.env' }, [read('.'), read('./**/.env')]],
    ['Glob: a pattern from the root', 'Glob', { pattern: '/etc/*', path: 'a' }, [read('a'), read('/etc/*')]],
    ['Glob: a pattern from home', 'Glob', { pattern: '~/*' }, [read('.'), read('~/*')]],
    ['Grep: the directory', 'Grep', { pattern: 'TODO' }, [read('.')]],
    ['Grep: its folder', 'Grep', { pattern: 'TODO', path: '../x' }, [read('../x')]],
    [
      'Grep: its filters, taken apart, and not what they leave out',
      'Grep',
      { pattern: 'KEY', path: 'a', glob: '*.ts,.env !*.md {x,y}.json' },
      [read('a'), read('a/*.ts'), read('a/.env'), read('a/{x,y}.json')],
    ],
    ['Bash: nothing that its words could tell', 'Bash', { command: 'cat /etc/passwd' }, []],
  ])('%s', (_, name, input, expected) => {
    expect(pathsOf(name, input)).toEqual(expected);
  });

  const garbage = [
    ...[
      undefined,
      null,
      7,
      'text',
      [],
      {},
      { file_path: 7 },
      { file_path: ['/etc/shadow'] },
      { file_path: {} },
    ],
    ...[{ path: 7, pattern: null, glob: ['.env'] }, { path: null, glob: {} }, { url: 'no address' }],
    Object.defineProperty({}, 'file_path', {
      get: () => {
        throw new Error('looked');
      },
      enumerable: true,
    }),
  ];

  test('no input makes a tool throw', () => {
    for (const tool of nativeTools) {
      for (const input of garbage) {
        expect(() => [tool.paths?.(input), tool.grantKey?.(input)]).not.toThrow();
      }
    }
  });

  test('an input of hostile length is read soon', () => {
    const started = processorMs();
    const glob = `${'{'.repeat(200_000)}${',!'.repeat(200_000)}`;
    for (const tool of nativeTools) tool.paths?.({ glob, path: glob, pattern: glob, file_path: glob });
    excludeSecrets('Grep', { glob, path: glob });
    expect(processorMs() - started).toBeLessThan(1_000);
  });

  test('a path that cannot be read off the input becomes one that is refused', () => {
    expect([
      pathsOf('Read', { file_path: ['/etc/shadow'] }),
      pathsOf('Write', {}),
      pathsOf('Glob', { pattern: ['.env'] }),
      pathsOf('Grep', { pattern: 'x', path: 7 }),
      pathsOf('Grep', { pattern: 'x', glob: ['.env'] }),
    ]).toEqual([
      ...[[read('\0')], [write('\0')], [read('.'), read('./\0')], [read('\0')], [read('.'), read('./\0')]],
    ]);
  });
});

describe('A12: what "the same call" means', () => {
  test('a command is the same to the last character only', () => {
    const commands = ['ls', 'ls ', 'ls; rm -rf /', 'ls\nrm', 'LS', 'ls -la', '{"command":"ls"}'];
    const keys = commands.map((command) => keyOf('Bash', { command, description: 'x' }));
    expect(keys).toEqual(commands.map((command) => `$ ${command}`));
    expect(keyOf('PowerShell', { command: 'ls', description: 'other words' })).toBe('$ ls');
  });

  test('a command that leaves the sandbox, or none at all, is the whole input', () => {
    expect([
      keyOf('Bash', { command: 'ls', dangerouslyDisableSandbox: true }),
      keyOf('Bash', { command: ['ls'] }),
      keyOf('Bash', null),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test('a page is the same by the host that is asked, not by what looks like one', () => {
    const urls = [
      ...[
        'https://example.com/a?b',
        'https://EXAMPLE.com:443/',
        'https://example.com@evil.test/',
        'https://example.com:8443',
      ],
      ...['https://example.com.evil.test', 'nonsense', 'file:///etc/passwd'],
    ];
    expect(urls.map((url) => keyOf('WebFetch', { url, prompt: 'p' }))).toEqual([
      ...[
        'example.com',
        'example.com',
        'evil.test',
        'example.com:8443',
        'example.com.evil.test',
        undefined,
        undefined,
      ],
    ]);
  });

  test('writes have no key of their own: the judge takes the tool in the workspace, the whole input elsewhere', () => {
    expect(['Write', 'Edit', 'NotebookEdit'].map((name) => find(name).grantKey)).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});

describe('what a search may come across', () => {
  const globOf = (input: object) => Object(excludeSecrets('Grep', input)).glob;

  test('a search of a folder leaves likely secrets out, behind its own filters', () => {
    expect(globOf({ pattern: 'x' })).toMatch(/^!\.\[eE\]\[nN\]\[vV\] /);
    expect(globOf({ pattern: 'x', glob: '*.ts,*.md' })).toMatch(/^\*\.ts \*\.md !\.\[eE\]/);
  });

  test('a search that names a secret stays as it is', () => {
    const inputs = [
      { pattern: 'x', path: '.env' },
      { pattern: 'x', glob: '**/*.pem' },
      { pattern: 'x', path: '~/.ssh' },
    ];
    expect(inputs.map((input) => excludeSecrets('Grep', input))).toEqual(inputs);
  });

  test('a detour by the name of a secret does not pass for one', () => {
    expect(globOf({ pattern: 'x', path: '.ssh/..' })).toMatch(/^!/);
    expect(globOf({ pattern: 'x', glob: '!.env' })).toMatch(/^!\.env !\.\[eE\]/);
  });

  test('other tools and inputs that are none stay as they are', () => {
    const input = { file_path: 'x' };
    expect([excludeSecrets('Read', input), excludeSecrets('Grep', 7), excludeSecrets('Grep', null)]).toEqual([
      ...[input, 7, null],
    ]);
  });

  test('a folder with signs in its name is denied as it is called', () => {
    expect(toDenyRules(['/home/a b/x (1) [2]*'])).toEqual([
      'Read(//home/a b/x \\(1\\) \\[2\\]\\*/**)',
      'Edit(//home/a b/x \\(1\\) \\[2\\]\\*/**)',
    ]);
  });
});
