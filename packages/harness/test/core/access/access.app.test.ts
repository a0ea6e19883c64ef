import { Config, type Role, RoleHead } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { everyRoleTools, judgeAccess, matches } from '../../../src/core/access/access.ts';
import { nativeTools } from '../../../src/engines/claude/tools/native-tools.ts';
import { makeFolder, openHouse } from '../../support/workspace.ts';

const config = Config.parse({});
const ping = 'mcp__toolyard__ping';
const readOutput = 'mcp__toolyard__read_output';

function role(head: Partial<Role>): Role {
  const parsed = RoleHead.parse({ name: 'smith', description: 'd', ...head });
  return { ...parsed, instructions: '', source: 'home', file: 'smith.md' };
}
const offers = (head: Partial<Role>, tool: string, under = config): boolean =>
  judgeAccess(role(head), tool, under).offered;
const tools = (part: Partial<Role['tools']>) => ({ tools: { allow: [], deny: [], tiers: {}, ...part } });

describe('what a role has', () => {
  test.each<[string, Partial<Role>, string, boolean]>([
    ['a conversational role has every host tool', { category: 'conversational' }, ping, true],
    ['a coding role has none but what is for all', { category: 'coding' }, ping, false],
    ['a category nobody listed has none', { category: 'wizardry' }, ping, false],
    ['a coding role may read back its own output', { category: 'coding' }, readOutput, true],
    ['full access outranks the category', { category: 'coding', access: 'full' }, ping, true],
    [
      'readonly access outranks the category',
      { category: 'conversational', access: 'readonly' },
      ping,
      false,
    ],
    ['a role has what it allows by name', tools({ allow: [ping] }), ping, true],
    ['a role has what it allows by beginning', tools({ allow: ['mcp__toolyard__*'] }), ping, true],
    ['one allowed tool brings no other', tools({ allow: [`${ping}_all`] }), ping, false],
    ['deny wins over allow', tools({ allow: [ping], deny: ['mcp__*'] }), ping, false],
    ['deny wins over the category', { category: 'conversational', ...tools({ deny: [ping] }) }, ping, false],
    ['deny takes away what is for all', tools({ deny: [readOutput] }), readOutput, false],
    ['an engine’s own tools are judged alike', tools({ allow: ['claude:Read'] }), 'claude:Read', true],
    ['and are absent unless allowed', tools({ allow: ['claude:Read'] }), 'claude:Bash', false],
    ['and an external server’s too', { category: 'coding' }, 'mcp__github__delete_repo', false],
    ['a tier gives no access', tools({ tiers: { [ping]: 'auto' } }), ping, false],
  ])('%s', (_, head, tool, expected) => {
    expect(offers(head, tool)).toBe(expected);
  });

  test('mcp.fullAccessCategories says which categories have every tool', () => {
    const under = Config.parse({ mcp: { fullAccessCategories: ['coding'] } });
    expect([
      offers({ category: 'coding' }, ping, under),
      offers({ category: 'conversational' }, ping, under),
    ]).toEqual([true, false]);
  });

  test('the rule that decided is told', () => {
    const rules = [
      judgeAccess(role({ category: 'conversational' }), ping, config),
      judgeAccess(role({ access: 'readonly' }), ping, config),
      judgeAccess(role(tools({ allow: ['mcp__*'] })), ping, config),
      judgeAccess(role(tools({ deny: ['*'] })), ping, config),
    ];
    expect(rules.map(({ rule }) => rule)).toEqual([
      'category conversational has full access',
      'role smith has readonly access',
      'role smith allows mcp__*',
      'role smith denies *',
    ]);
  });
});

test('a star at the end matches every beginning, and only there', () => {
  expect(
    [
      ['*', 'x'],
      ['mcp__a__*', 'mcp__a__b'],
      ['mcp__a__*', 'mcp__ab__b'],
      ['mcp__a', 'mcp__a__b'],
      ['a.c', 'abc'],
    ].map(([pattern = '', name = '']) => matches(pattern, name)),
  ).toEqual([true, true, false, false, false]);
});

test('of the roles that ship, conversational ones have every host tool and coding ones only what is for all', async () => {
  const { roles } = await openHouse();
  const { roles: shipped } = await roles.list(makeFolder());
  const has = (each: Role, tool: string) => judgeAccess(each, tool, config).offered;
  expect(shipped.map((each) => [each.name, has(each, ping), has(each, readOutput)])).toEqual([
    ['assistant', true, true],
    ['coordinator', true, true],
    ['developer', false, true],
    ['researcher', false, true],
    ['reviewer', false, true],
  ]);
});

test('of the roles that ship, only those who change things can write and run commands on the Claude engine', async () => {
  const { roles } = await openHouse();
  const { roles: shipped } = await roles.list(makeFolder());
  const own = nativeTools.map(({ name }) => name).filter((name) => !everyRoleTools.has(name));
  const missing = (each: Role) => own.filter((name) => !judgeAccess(each, name, config).offered);
  const web = ['claude:WebFetch', 'claude:WebSearch'];
  const changing = ['claude:Write', 'claude:Edit', 'claude:NotebookEdit', 'claude:Bash', 'claude:PowerShell'];
  expect(shipped.map((each) => [each.name, missing(each)])).toEqual([
    ['assistant', []],
    ['coordinator', []],
    ['developer', web],
    ['researcher', [...changing, 'claude:TaskStop']],
    ['reviewer', [...changing, 'claude:TaskStop', ...web]],
  ]);
});

test('what every role has of an engine exists, only reads, and can be denied', () => {
  const ofEngine = [...everyRoleTools].filter((name) => name.startsWith('claude:'));
  const effects = ofEngine.map((name) => nativeTools.find((tool) => tool.name === name)?.effect);
  expect(new Set(effects)).toEqual(new Set(['read']));
  expect(ofEngine.filter((name) => nativeTools.find((tool) => tool.name === name)?.paths)).toEqual([]);
  expect(ofEngine.filter((name) => !offers({}, name))).toEqual([]);
  expect(ofEngine.filter((name) => offers(tools({ deny: ['claude:*'] }), name))).toEqual([]);
});
