// Rules come from above: what a folder of the person's says holds in all below it, and nobody else can mark a folder.
import { execFileSync } from 'node:child_process';
import { chownSync, lchownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { checkWorkspace } from '../../../src/core/doctor/home-checks.ts';
import { createIsOwn, inspectMarkers } from '../../../src/core/workspace/markers.ts';
import {
  findChildWorkspace,
  findWorkspace,
  inspectWorkspace,
} from '../../../src/core/workspace/workspaces.ts';
import { makeFolder, openHouse, refusalOf } from '../../support/workspace.ts';

const base = Config.parse({ limits: { maxSteps: 40 } });
/** A user who is neither root nor the one that runs the tests. */
const stranger = 54_321;
const isRoot = process.geteuid?.() === 0;

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd });

describe('the rules of the folders above', () => {
  test('narrow what a nested repository says, each in what it mentions', async () => {
    const { configs, trustNow } = await openHouse(base);
    const project = makeFolder({
      'toolyard.yaml': 'limits: { maxSteps: 20 }\ntoolkits: { tasks: false }\n',
      'vendor/toolyard.yaml': 'toolkits: { sessions: false }\n',
      'vendor/lib/toolyard.yaml': 'limits: { maxSteps: 30 }\ndefaults: { mode: acceptEdits }\n',
      'vendor/lib/.git/HEAD': '',
    });
    const nested = join(project, 'vendor/lib');
    const before = await configs.for(nested);
    await trustNow(nested);
    const rules = {
      ...base,
      limits: { ...base.limits, maxSteps: 20 },
      toolkits: { tasks: false, sessions: false },
    };
    expect([before, await configs.for(nested)]).toEqual([
      rules,
      { ...rules, defaults: { ...rules.defaults, mode: 'acceptEdits' } },
    ]);
  });

  test('are never wider below, also when they are trusted where they stand', async () => {
    const { configs, trustNow } = await openHouse(base);
    const project = makeFolder({
      'toolyard.yaml': 'limits: { maxSteps: 90 }\ndefaults: { mode: bypassPermissions }\n',
      'lib/.git/HEAD': '',
    });
    await trustNow(project);
    expect((await configs.for(project)).limits.maxSteps).toBe(90);
    expect(await configs.for(join(project, 'lib'))).toEqual(base);
  });

  test('count at once when they change', async () => {
    const { configs } = await openHouse(base);
    const project = makeFolder({ 'lib/.git/HEAD': '' });
    const found = [await configs.for(join(project, 'lib'))];
    execFileSync('sh', ['-c', 'echo "limits: { maxSteps: 3 }" > toolyard.yaml'], { cwd: project });
    found.push(await configs.for(join(project, 'lib')));
    execFileSync('rm', ['toolyard.yaml'], { cwd: project });
    found.push(await configs.for(join(project, 'lib')));
    expect(found.map(({ limits }) => limits.maxSteps)).toEqual([40, 3, 40]);
  });

  test('end at the root that the person has named', async () => {
    const project = makeFolder({
      'toolyard.yaml': 'limits: { maxSteps: 1 }\n',
      'root/toolyard.yaml': 'limits: { maxSteps: 2 }\n',
      'root/lib/toolyard.yaml': 'limits: { maxSteps: 3 }\n',
    });
    const workspace = { security: 'limited-control', roots: [join(project, 'root')] } as const;
    const { configs } = await openHouse(Config.parse({ workspace }));
    const folders = ['root/lib', 'root', '.'].map((path) => configs.for(join(project, path)));
    expect((await Promise.all(folders)).map(({ limits }) => limits.maxSteps)).toEqual([2, 2, 1]);
  });

  test('refuse a session below with their path when the person’s own are broken', async () => {
    const { configs } = await openHouse(base);
    const project = makeFolder({ 'toolyard.yaml': 'limit: 1\n', 'lib/.git/HEAD': '' });
    expect(await refusalOf(configs.for(join(project, 'lib')))).toEqual([
      'invalid_config',
      expect.stringContaining(`${project}/toolyard.yaml:1:1: unknown key "limit"`),
    ]);
  });
});

describe('what marks a workspace', () => {
  test('is a plain toolyard.yaml or a repository, neither a folder that a sandbox left nor a link', () => {
    const top = makeFolder({ 'real/sub/x': '', 'elsewhere/HEAD': '', 'elsewhere/rules': '' });
    const sub = join(top, 'real/sub');
    mkdirSync(join(top, 'real/.git/hooks'), { recursive: true });
    mkdirSync(join(top, 'real/toolyard.yaml'));
    expect(inspectWorkspace(sub)).toEqual({ workspace: sub, ignored: [] });
    symlinkSync(join(top, 'elsewhere'), join(top, '.git'));
    symlinkSync(join(top, 'elsewhere/rules'), join(top, 'toolyard.yaml'));
    expect(inspectWorkspace(sub)).toEqual({
      workspace: sub,
      ignored: ['toolyard.yaml', '.git'].map((name) => `${join(top, name)} is a link and is ignored.`),
    });
    git(join(top, 'real'), 'init', '-q');
    expect(findWorkspace(sub)).toBe(join(top, 'real'));
  });

  test('is looked for where links lead', () => {
    const top = makeFolder({ 'project/.git/HEAD': '', 'project/src/x': '', 'other/toolyard.yaml': '' });
    symlinkSync(join(top, 'project'), join(top, 'link'));
    symlinkSync(join(top, 'project/src'), join(top, 'other/src'));
    expect(findWorkspace(join(top, 'link/src'))).toBe(join(top, 'project'));
    expect(findWorkspace(join(top, 'other/src'))).toBe(join(top, 'project'));
  });

  test('widens no child’s workspace, whoever made it', () => {
    const top = makeFolder({ 'work/sub/x': '', 'work/lib/.git/HEAD': '', 'root/sub/x': '' });
    const work = join(top, 'work');
    const parent = { workspace: work, roots: [join(top, 'root')] };
    const find = (path: string) => findChildWorkspace(join(top, path), parent);
    const before = ['work', 'work/sub', 'work/lib', 'root/sub'].map(find);
    mkdirSync(join(top, '.git'));
    git(top, 'init', '-q');
    expect(findWorkspace(work)).toBe(top);
    expect(['work', 'work/sub', 'work/lib', 'root/sub'].map(find)).toEqual(before);
    git(work, 'init', '-q');
    expect(['work', 'work/sub'].map(find)).toEqual([work, work]);
  });

  // Another user's files can only be made by root; that they are another's is a matter of the number alone.
  test('is the person’s own: for another user these files are a stranger’s', () => {
    const folder = makeFolder({ 'toolyard.yaml': '', '.git/HEAD': '' });
    const { uid } = statSync(folder);
    const mine = inspectMarkers(folder, createIsOwn(folder, uid));
    expect(mine).toEqual({ isMarked: true, ignored: [] });
    expect(inspectMarkers(folder, createIsOwn(folder, stranger))).toEqual({
      isMarked: false,
      ignored: ['toolyard.yaml', '.git'].map(
        (name) => `${join(folder, name)} belongs to another user (uid ${uid}) and is ignored.`,
      ),
    });
  });
});

describe.runIf(isRoot)('another user’s files, as root', () => {
  /** Files of a stranger at the top, and a directory of ours below. */
  function makeShared(rules: string): { top: string; mine: string } {
    const top = makeFolder({ 'toolyard.yaml': rules, '.git/HEAD': '', 'mine/x': '' });
    for (const name of ['.git', 'toolyard.yaml']) chownSync(join(top, name), stranger, stranger);
    return { top, mine: join(top, 'mine') };
  }
  const sentence = (path: string) => `${path} belongs to another user (uid ${stranger}) and is ignored.`;

  test('neither widen the workspace nor rule below, and trust and doctor say so', async () => {
    const { trust, configs, home } = await openHouse(base);
    const { top, mine } = makeShared('limits: { maxSteps: 1 }\n');
    expect(findWorkspace(mine)).toBe(mine);
    expect(await configs.for(mine)).toEqual(base);
    const marks = ['toolyard.yaml', '.git'].map((name) => sentence(join(top, name)));
    expect((await trust.inspect(mine)).ignored).toEqual(marks);
    const readConfig = async () => ({ config: base, path: '', exists: false, hasOverlay: false });
    const probes = { workspace: mine, home, now: Date.now(), readConfig };
    expect(await checkWorkspace(probes)).toEqual({
      name: 'workspace',
      state: 'warn',
      message: `${mine}: ${marks.join(' ')}`,
      fix: 'If it is yours, make your user its owner.',
    });
  });

  test('stop no session when they are broken, above it or in its directory', async () => {
    const { configs } = await openHouse(base);
    const { top, mine } = makeShared('limit: [\n');
    expect(await Promise.all([configs.for(mine), configs.for(top)])).toEqual([base, base]);
    execFileSync('ln', ['-sf', '/dev/zero', 'toolyard.yaml'], { cwd: top });
    lchownSync(join(top, 'toolyard.yaml'), stranger, stranger);
    expect(await Promise.all([configs.for(mine), configs.for(top)])).toEqual([base, base]);
  });

  test('narrow where a person chose to work, and count as ours in a folder that is all theirs', async () => {
    const { configs } = await openHouse(base);
    const { top, mine } = makeShared('limits: { maxSteps: 1 }\n');
    expect((await configs.for(top)).limits.maxSteps).toBe(1);
    chownSync(mine, stranger, stranger);
    // Root in a container, in a folder of the host's user. The folder above is still root's own.
    expect(findWorkspace(mine)).toBe(mine);
    chownSync(top, stranger, stranger);
    expect(findWorkspace(mine)).toBe(top);
  });
});
