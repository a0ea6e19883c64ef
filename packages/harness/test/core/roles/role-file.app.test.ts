import { readFileSync } from 'node:fs';
import { RoleHead } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { parseClaudeAgentFile } from '../../../src/core/roles/claude-agent-file.ts';
import { maxRoleBytes, parseRoleFile } from '../../../src/core/roles/role-file.ts';
import { refusalOf } from '../../support/workspace.ts';

const file = '/home/roles/smith.md';
const given = (text: string) => ({ content: Buffer.from(text), file, source: 'home' }) as const;
const parse = (text: string) => parseRoleFile(given(text));
const parseClaude = (text: string) => parseClaudeAgentFile(given(text));
const problemOf = async (text: string) => (await refusalOf(() => parse(text)))[1];

describe('a role file', () => {
  test('with every key becomes the role it describes', () => {
    const text = `---
name: smith
description: Forges things
category: craft
engine: native
model: anthropic/claude-sonnet-5
mode: plan
access: readonly
tools:
  allow: [mcp__toolyard__ping, "mcp__github__*", "claude:Read"]
  deny: ["claude:Bash"]
  tiers: { mcp__toolyard__ping: auto }
---

Hit the iron.
`;
    expect(parse(text)).toEqual({
      name: 'smith',
      description: 'Forges things',
      category: 'craft',
      engine: 'native',
      model: 'anthropic/claude-sonnet-5',
      mode: 'plan',
      access: 'readonly',
      tools: {
        allow: ['mcp__toolyard__ping', 'mcp__github__*', 'claude:Read'],
        deny: ['claude:Bash'],
        tiers: { mcp__toolyard__ping: 'auto' },
      },
      instructions: 'Hit the iron.',
      source: 'home',
      file,
    });
  });

  test('with the least it needs is a coding role without tools of its own', () => {
    expect(parse('---\nname: smith\ndescription: d\n---\n')).toEqual({
      ...RoleHead.parse({ name: 'smith', description: 'd' }),
      category: 'coding',
      tools: { allow: [], deny: [], tiers: {} },
      instructions: '',
      source: 'home',
      file,
    });
  });

  test.each([
    [
      'no frontmatter',
      'Just words.',
      `${file}:1:1: a role file must begin with frontmatter: a line ---, its keys, a line ---`,
    ],
    [
      'an unknown key',
      '---\nname: smith\ndescription: d\ntool: x\n---\n',
      `${file}:4:1: unknown key "tool". Did you mean "tools"?`,
    ],
    [
      'a name unlike the file',
      '---\ndescription: d\nname: baker\n---\n',
      `${file}:3:7: name: must be "smith", the name of the file; change one of them.`,
    ],
    [
      'no description',
      '---\nname: smith\n---\n',
      `${file}:2:1: description: expected string, received undefined.`,
    ],
    ['an empty head', '---\n---\n', `${file}:1:1: expected object, received undefined.`],
    [
      'a mode that does not exist',
      '---\nname: smith\ndescription: d\nmode: bypass\n---\n',
      `${file}:4:7: mode: expected one of "default"|"acceptEdits"|"plan"|"bypassPermissions".`,
    ],
    [
      'broken YAML',
      '---\nname: smith\ndescription: [a\n---\n',
      `${file}:4:1: Flow sequence in block collection must be sufficiently indented and end with a ]`,
    ],
  ])('with %s is refused with its line', async (_, text, expected) => {
    expect((await problemOf(text)).split('\n')[0]).toBe(expected);
  });

  test.each(['ping', 'mcp__toolyard', 'mcp__*__ping', '*ping', 'mcp__a__b*c', 'Bash', '', 'claude:'])(
    'that names a tool in a way that could never match is refused: %j',
    async (pattern) => {
      for (const key of ['allow', 'deny']) {
        const text = `---\nname: smith\ndescription: d\ntools:\n  ${key}:\n    - ${JSON.stringify(pattern)}\n---\n`;
        expect(await problemOf(text)).toContain(`${file}:6:7: tools.${key}[0]: use a full name`);
      }
    },
  );

  test('larger than the bound is refused', async () => {
    const text = `---\nname: smith\ndescription: d\n---\n${'x'.repeat(maxRoleBytes)}`;
    expect(await problemOf(text)).toBe(
      `${file}:1:1: the file is larger than ${maxRoleBytes} bytes; keep instructions short`,
    );
  });

  test('that is not UTF-8 is refused, never guessed', async () => {
    const content = Buffer.concat([
      Buffer.from('---\nname: smith\ndescription: d\n---\n'),
      Buffer.from([0xff, 0xfe]),
    ]);
    expect(await refusalOf(() => parseRoleFile({ content, file, source: 'home' }))).toEqual([
      'invalid_config',
      `${file}:1:1: the file is not UTF-8 text`,
    ]);
  });
});

describe('an agent file of Claude Code', () => {
  const plain = {
    name: 'inspector',
    description: 'Looks at code',
    category: 'coding',
    tools: {
      allow: ['claude:Read', 'claude:Grep', 'mcp__github__search', 'mcp__docs__*'],
      deny: [],
      tiers: {},
    },
    instructions: 'Look.',
    source: 'home',
    file,
  };

  test.each([
    ['a line', 'tools: Read, Grep, mcp__github__search, mcp__docs'],
    ['a list', 'tools:\n  - Read\n  - Grep\n  - mcp__github__search\n  - mcp__docs__*'],
  ])('with its tools in %s becomes a coding role with those tools', (_, tools) => {
    const text = `---\nname: inspector\ndescription: Looks at code\n${tools}\nmodel: inherit\ncolor: blue\nhooks:\n  Stop: [{ command: touch /tmp/x }]\nmemory: user\n---\nLook.`;
    expect(parseClaude(text)).toEqual(plain);
  });

  test.each([
    ['sonnet', 'anthropic/claude-sonnet-5'],
    ['claude-opus-5', 'anthropic/claude-opus-5'],
    ['anthropic/other', 'anthropic/other'],
    ['inherit', undefined],
    ['something-new', undefined],
  ])('with model %s runs on %s', (said, expected) => {
    expect(parseClaude(`---\nname: a\ndescription: d\nmodel: ${said}\n---\n`)?.model).toBe(expected);
  });

  test.each([
    ['plan', 'plan'],
    ['acceptEdits', 'acceptEdits'],
    ['dontAsk', undefined],
  ])('with permissionMode %s has mode %s', (said, expected) => {
    expect(parseClaude(`---\nname: a\ndescription: d\npermissionMode: ${said}\n---\n`)?.mode).toBe(expected);
  });

  test.each([
    ['no list at all means every built-in tool', '', ['claude:*']],
    ['an empty list means none', 'tools: []', []],
    ['an empty line means none', 'tools:', []],
    ['a star means every built-in tool', 'tools: "*"', ['claude:*']],
  ])('%s', (_, line, allow) => {
    expect(parseClaude(`---\nname: a\ndescription: d\n${line}\n---\n`)?.tools.allow).toEqual(allow);
  });

  test('with a tool for some calls only is refused with the line, because it would be widened', async () => {
    const text = '---\nname: a\ndescription: d\ntools: Read, Bash(git diff:*)\n---\n';
    expect(await refusalOf(() => parseClaude(text))).toEqual([
      'invalid_config',
      `${file}:4:8: tools: "Bash(git diff:*)": a tool can only be allowed as a whole, not for some calls.`,
    ]);
  });

  test('loses the whole of a tool that it denies in part', () => {
    const text = '---\nname: a\ndescription: d\ndisallowedTools: Bash(rm, mv), Write, mcp__github\n---\n';
    expect(parseClaude(text)?.tools).toEqual({
      allow: ['claude:*'],
      deny: ['claude:Bash', 'claude:Write', 'mcp__github__*'],
      tiers: {},
    });
  });

  test('may describe itself with colons and examples on one line, as Claude Code writes it', () => {
    const said = 'Use this agent when: reviewing. Examples: user: "check it" # now';
    expect(parseClaude(`---\nname: a\ndescription: ${said}\n---\n`)?.description).toBe(said);
  });

  test('with a very long description keeps its beginning', () => {
    const role = parseClaude(`---\nname: a\ndescription: ${'long '.repeat(1_000)}\n---\n`);
    expect([role?.description.length, role?.description.endsWith('…')]).toEqual([1_000, true]);
  });

  test('without frontmatter is no agent', () => {
    expect(parseClaude('# About this folder')).toBeUndefined();
  });

  test.each(['Code Reviewer', '../../x', 'UPPER', '"."', 'x'.repeat(300)])(
    'C5: with a name that is no name is refused: %s',
    async (name) => {
      const [code, message] = await refusalOf(() => parseClaude(`---\nname: ${name}\ndescription: d\n---\n`));
      expect([code, message.startsWith(`${file}:2:7: name: use 1 to 64`)]).toEqual(['invalid_config', true]);
    },
  );
});

describe('docs/roles.md', () => {
  const page = readFileSync(new URL('../../../../../docs/roles.md', import.meta.url), 'utf8');

  test('shows a role file that works', () => {
    const text = /```markdown\n(.*?)```/s.exec(page)?.[1] ?? '';
    const role = parseRoleFile({
      content: Buffer.from(text),
      file: '/home/roles/gardener.md',
      source: 'home',
    });
    expect([role.name, role.mode, role.tools.deny]).toEqual([
      'gardener',
      'acceptEdits',
      ['mcp__shop__place_*'],
    ]);
  });

  test('names every key of the frontmatter', () => {
    const keys = Object.keys(RoleHead.shape).filter((key) => key !== 'tools');
    const all = [...keys, 'tools.allow', 'tools.deny', 'tools.tiers'];
    expect(all.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});
