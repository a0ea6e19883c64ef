import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, openHouse, refusalOf, shippedFolder, writeFiles } from '../../support/workspace.ts';

const roleText = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: d\n${more}---\nI am ${name}.\n`;
const namesOf = (list: { roles: { name: string }[] }) => list.roles.map(({ name }) => name);
const shipped = ['assistant', 'coordinator', 'developer', 'researcher', 'reviewer'];

describe('the roles that ship', () => {
  test('are five, whole, each in its category', async () => {
    const { roles } = await openHouse();
    const { roles: listed, broken } = await roles.list(makeFolder());
    expect([listed.map(({ name, category, source }) => [name, category, source]), broken]).toEqual([
      [
        ['assistant', 'conversational', 'shipped'],
        ['coordinator', 'conversational', 'shipped'],
        ['developer', 'coding', 'shipped'],
        ['researcher', 'coding', 'shipped'],
        ['reviewer', 'coding', 'shipped'],
      ],
      [],
    ]);
    expect(listed.every(({ instructions }) => instructions.length > 200)).toBe(true);
  });

  test('can each be found by name', async () => {
    const { roles } = await openHouse();
    const workspace = makeFolder();
    const found = await Promise.all(shipped.map((name) => roles.find(name, workspace)));
    expect(found.map(({ name, file }) => [name, file])).toEqual(
      shipped.map((name) => [name, join(shippedFolder, `${name}.md`)]),
    );
  });
});

describe('a name that is no role', () => {
  test('is answered with the nearest one', async () => {
    const { roles } = await openHouse();
    expect(await refusalOf(roles.find('asistant', makeFolder()))).toEqual([
      'unknown_role',
      'There is no role "asistant". Did you mean "assistant"?',
    ]);
  });

  test('and resembles none is answered with all', async () => {
    const { roles } = await openHouse();
    expect(await refusalOf(roles.find('wizard', makeFolder()))).toEqual([
      'unknown_role',
      `There is no role "wizard". Roles: ${shipped.join(', ')}.`,
    ]);
  });
});

describe('the roles of the home', () => {
  test('stand beside those that ship and take the place of those with the same name', async () => {
    const { home, roles } = await openHouse();
    writeFiles(home, { 'roles/smith.md': roleText('smith'), 'roles/assistant.md': roleText('assistant') });
    const workspace = makeFolder();
    expect(namesOf(await roles.list(workspace))).toEqual([...shipped, 'smith'].sort());
    expect(await roles.find('assistant', workspace)).toMatchObject({
      source: 'home',
      instructions: 'I am assistant.',
      file: join(home, 'roles/assistant.md'),
    });
  });

  test('are read again when they change', async () => {
    const { home, roles } = await openHouse();
    const workspace = makeFolder();
    writeFiles(home, { 'roles/smith.md': roleText('smith') });
    await roles.find('smith', workspace);
    writeFiles(home, { 'roles/smith.md': roleText('smith', 'mode: plan\n') });
    expect((await roles.find('smith', workspace)).mode).toBe('plan');
  });

  test('may be links, for they are the person’s own', async () => {
    const { home, roles } = await openHouse();
    const kept = makeFolder({ 'smith.md': roleText('smith') });
    writeFiles(home, { 'roles/keep.txt': '' });
    symlinkSync(join(kept, 'smith.md'), join(home, 'roles/smith.md'));
    expect((await roles.find('smith', makeFolder())).name).toBe('smith');
  });

  test('past two hundred are reported, not read', async () => {
    const { home, roles } = await openHouse();
    const name = (index: number) => `r${String(index).padStart(3, '0')}`;
    const many = Array.from({ length: 201 }, (_, index) => [
      `roles/${name(index)}.md`,
      roleText(name(index)),
    ]);
    writeFiles(home, Object.fromEntries(many));
    const { roles: listed, broken } = await roles.list(makeFolder());
    expect([listed.length, broken]).toEqual([
      205,
      [
        {
          file: join(home, 'roles'),
          problem: `${join(home, 'roles')}: it has 201 role files; only the first 200 are read`,
        },
      ],
    ]);
  });
});

test('a home with more files than can be looked through is reported', async () => {
  const { home, roles } = await openHouse();
  writeFiles(
    home,
    Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`roles/${index}.txt`, ''])),
  );
  const folder = join(home, 'roles');
  expect((await roles.list(makeFolder())).broken).toEqual([
    { file: folder, problem: `${folder}: it has more than 1000 files and folders` },
  ]);
});

describe('a broken role file', () => {
  test('is listed with file and line while the others work', async () => {
    const { home, roles } = await openHouse();
    writeFiles(home, {
      'roles/smith.md': '---\nname: smith\ndescription: d\nmod: plan\n---\n',
      'roles/baker.md': roleText('baker'),
      'roles/Fine Cook.md': roleText('cook'),
    });
    const workspace = makeFolder();
    const list = await roles.list(workspace);
    const smith = join(home, 'roles/smith.md');
    const cook = join(home, 'roles/Fine Cook.md');
    expect([namesOf(list), list.broken]).toEqual([
      [...shipped, 'baker'].sort(),
      [
        {
          file: cook,
          problem: `${cook}:1:1: the file name is the name of the role: use 1 to 64 lower-case letters, digits and dashes, starting with a letter`,
        },
        { file: smith, problem: `${smith}:4:1: unknown key "mod". Did you mean "mode"?` },
      ],
    ]);
    expect(await refusalOf(roles.find('smith', workspace))).toEqual([
      'invalid_config',
      list.broken[1]?.problem,
    ]);
  });

  test('does not let the one it was to replace come back', async () => {
    const { home, roles } = await openHouse();
    writeFiles(home, { 'roles/assistant.md': roleText('assistant', 'tools: { deny: [everything] }\n') });
    const workspace = makeFolder();
    expect(namesOf(await roles.list(workspace))).toEqual(shipped.filter((name) => name !== 'assistant'));
    expect((await refusalOf(roles.find('assistant', workspace)))[0]).toBe('invalid_config');
  });
});

describe('the roles of a workspace', () => {
  const own = {
    '.toolyard/roles/mason.md': roleText('mason', 'category: conversational\n'),
    '.toolyard/roles/assistant.md': roleText('assistant', 'mode: bypassPermissions\n'),
    '.toolyard/roles/bad.md': '---js\nname: bad\n---\n',
    '.claude/agents/any-file.md': '---\nname: inspector\ndescription: d\ntools: Read\n---\n',
    '.claude/agents/README.md': '# About',
  };

  test('do not exist before trust, and the refusal says what to do', async () => {
    const { roles } = await openHouse();
    const workspace = makeFolder(own);
    expect([await roles.list(workspace), await refusalOf(roles.find('mason', workspace))]).toEqual([
      { roles: (await roles.list(makeFolder())).roles, broken: [] },
      [
        'unknown_role',
        `There is no role "mason" yet. ${workspace} has one, but that workspace is not trusted as it is now. A person can review and trust it with \`toolyard trust\`.`,
      ],
    ]);
    expect((await roles.find('assistant', workspace)).source).toBe('shipped');
  });

  test('count after trust and override the others; a broken one is reported', async () => {
    const { roles, trustNow } = await openHouse();
    const workspace = makeFolder(own);
    await trustNow(workspace);
    const list = await roles.list(workspace);
    const bad = join(workspace, '.toolyard/roles/bad.md');
    expect([namesOf(list), list.broken]).toEqual([
      [...shipped, 'inspector', 'mason'].sort(),
      [
        {
          file: bad,
          problem: `${bad}:1:1: frontmatter must begin with a line of exactly three dashes, not "---js"`,
        },
      ],
    ]);
    expect(await roles.find('assistant', workspace)).toMatchObject({
      source: 'workspace',
      mode: 'bypassPermissions',
    });
    expect(await roles.find('inspector', workspace)).toMatchObject({
      tools: { allow: ['claude:Read'], deny: [], tiers: {} },
      file: join(workspace, '.claude/agents/any-file.md'),
    });
  });

  test('of one workspace mean nothing in another', async () => {
    const { roles, trustNow } = await openHouse();
    const workspace = makeFolder(own);
    await trustNow(workspace);
    expect((await roles.find('assistant', makeFolder(own))).source).toBe('shipped');
  });

  test('vanish again as soon as any of the files changes', async () => {
    const { roles, trustNow } = await openHouse();
    const workspace = makeFolder(own);
    await trustNow(workspace);
    writeFiles(workspace, { 'CLAUDE.md': 'new' });
    expect((await roles.find('assistant', workspace)).source).toBe('shipped');
  });

  test('that are links are reported and not read', async () => {
    const { roles, trustNow } = await openHouse();
    const outside = makeFolder({ 'spy.md': roleText('spy') });
    const workspace = makeFolder({ '.toolyard/roles/mason.md': roleText('mason') });
    const spy = join(workspace, '.toolyard/roles/spy.md');
    symlinkSync(join(outside, 'spy.md'), spy);
    await trustNow(workspace);
    const list = await roles.list(workspace);
    expect([namesOf(list).includes('spy'), list.broken]).toEqual([
      false,
      [{ file: spy, problem: `${spy}: it is a link, and links are not followed here` }],
    ]);
  });

  test('in a folder that is a link are not read, and the folder is reported', async () => {
    const { roles, trustNow } = await openHouse();
    const outside = makeFolder({ 'spy.md': roleText('spy') });
    const workspace = makeFolder({ '.toolyard/note': '' });
    symlinkSync(outside, join(workspace, '.toolyard/roles'));
    await trustNow(workspace);
    const folder = join(workspace, '.toolyard/roles/');
    expect((await roles.list(workspace)).broken).toEqual([
      { file: folder, problem: `${folder}: it is a link, and links are not followed here` },
    ]);
  });

  test('of which two share a name are both out of use', async () => {
    const { roles, trustNow } = await openHouse();
    const text = '---\nname: twin\ndescription: d\n---\n';
    const workspace = makeFolder({ '.claude/agents/a.md': text, '.claude/agents/b.md': text });
    await trustNow(workspace);
    const [code, message] = await refusalOf(roles.find('twin', workspace));
    expect([code, message]).toEqual([
      'invalid_config',
      `${join(workspace, '.claude/agents/b.md')}:1:1: ${join(workspace, '.claude/agents/a.md')} already has the name "twin"; rename one`,
    ]);
  });
});

test('every role that is listed can be found, and no broken name is both', async () => {
  const { home, roles, trustNow } = await openHouse();
  writeFiles(home, { 'roles/a.md': roleText('a'), 'roles/b.md': roleText('x'), 'roles/c.md': 'x' });
  const workspace = makeFolder({
    '.toolyard/roles/a.md': 'broken',
    '.toolyard/roles/c.md': roleText('c'),
    '.claude/agents/c.md': '---\nname: c\ndescription: d\n---\n',
  });
  await trustNow(workspace);
  const { roles: listed } = await roles.list(workspace);
  for (const role of listed) expect(await roles.find(role.name, workspace)).toEqual(role);
  expect(listed.map(({ name }) => name)).toEqual([...shipped, 'c'].sort());
});
