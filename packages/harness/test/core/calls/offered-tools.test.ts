// The list of a role's tools is kept, and made again as soon as the role, the configuration or those above differ.
import { Config, defineTool, type Role, RoleHead, type Toolkit } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOfferedTools, type RoleContext, toToolSpecs } from '../../../src/core/calls/offered-tools.ts';
import { createToolRegistry } from '../../../src/core/calls/tool-registry.ts';

const toTool = (name: string) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect: 'read',
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
  });
const kits: readonly Toolkit[] = [
  { name: 'one', server: 'suite', tools: [toTool('first')] },
  { name: 'two', server: 'suite', tools: [toTool('second')] },
];
const { list } = createOfferedTools(createToolRegistry(kits));
const names = (holder: RoleContext) => list(holder).map(({ name }) => name);

function toRole(deny: string[]): Role {
  const head = RoleHead.parse({ name: 'smith', description: 'd', access: 'full', tools: { deny } });
  return { ...head, instructions: '', source: 'home', file: 'smith.md' };
}

test('the same holder has the same list, and its model hears of the same', () => {
  const holder = { role: toRole([]), config: Config.parse({}) };
  expect(list({ ...holder })).toBe(list(holder));
  expect(toToolSpecs(list(holder))).toBe(toToolSpecs(list(holder)));
});

test('another role, another configuration and another one above have lists of their own', () => {
  const config = Config.parse({});
  const off = Config.parse({ toolkits: { two: false } });
  const role = toRole([]);
  const [first, second] = ['mcp__suite__first', 'mcp__suite__second'];
  expect([
    names({ role, config }),
    names({ role, config: off }),
    names({ role, config, ancestorRoles: [toRole([first])] }),
    names({ role, config }),
    names({ role: toRole([second]), config }),
  ]).toEqual([[first, second], [first], [second], [first, second], [first]]);
});
