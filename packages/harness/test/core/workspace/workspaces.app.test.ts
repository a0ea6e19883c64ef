import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { requireWorkDirectory } from '../../../src/core/workspace/workspaces.ts';
import { makeFolder } from '../../support/workspace.ts';

const limited = Config.parse({}).workspace;

/** The directory, or the words after it that refuse it. */
function judge(cwd: string, home: string, workspace = limited): string {
  try {
    return requireWorkDirectory(cwd, { home, workspace });
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.slice(`cwd: ${JSON.stringify(cwd)} `.length) : 'thrown';
  }
}

const system =
  'belongs to the system. Use another directory, or allow this one: add it to `workspace.roots` in config.yaml.';

test('F9: a session works neither in the system nor behind a link to it, unless the person allows the directory', () => {
  const home = makeFolder();
  const work = makeFolder({ 'sub/a.txt': '' });
  symlinkSync('/etc', join(work, 'link'));
  for (const cwd of ['/', '/etc', '/usr/bin', join(work, 'link')]) expect(judge(cwd, home)).toBe(system);
  expect(judge(join(work, 'sub'), home)).toBe(join(work, 'sub'));
  expect(judge('/etc', home, { ...limited, roots: ['/etc'] })).toBe('/etc');
  expect(judge('/usr/bin', home, { ...limited, roots: ['/etc'] })).toBe(system);
  expect(judge('/', home, { ...limited, security: 'full-control' })).toBe('/');
});

test('F9: nobody works in the home of Toolyard, not by a link and not with full control', () => {
  const home = makeFolder({ 'roles/a.md': '' });
  const work = makeFolder();
  symlinkSync(join(home, 'roles'), join(work, 'link'));
  const inHome = 'is in the home of Toolyard. Use another directory.';
  for (const cwd of [home, join(home, 'roles'), join(work, 'link')]) {
    expect(judge(cwd, home)).toBe(inHome);
    expect(judge(cwd, home, { security: 'full-control', roots: [home] })).toBe(inHome);
  }
});
