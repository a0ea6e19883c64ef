import { Config, type Role } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { createRoleContexts } from '../../src/mcp/role-contexts.ts';

const none = new Map();
const set = { files: none, skipped: none, problems: none, owners: none, hash: '' };
const nothing = { set, trusted: true, isForeign: false, above: [], ignored: [] };

/** A disk that can be changed, and how often it was looked at. */
function createDisk() {
  const disk = { description: 'first', looks: 0 };
  const role = (name: string): Role => ({
    name,
    description: disk.description,
    category: 'conversational',
    instructions: '',
    source: 'home',
    tools: { allow: [], deny: [], tiers: {} },
    limits: {},
    file: 'x.md',
  });
  const roleContexts = createRoleContexts({
    trust: { read: async (root) => ({ root, ...nothing }) },
    configs: { forFiles: () => Config.parse({}) },
    roles: {
      findIn: async (name) => {
        disk.looks++;
        return role(name);
      },
    },
  });
  return { disk, roleContexts };
}

it('a change counts for the very next call', async () => {
  const { disk, roleContexts } = createDisk();
  expect((await roleContexts.find('/', undefined)).role.description).toBe('first');
  disk.description = 'second';
  expect((await roleContexts.find('/', undefined)).role.description).toBe('second');
});

it('a change counts for a call that comes while an earlier one is being looked up', async () => {
  const { disk, roleContexts } = createDisk();
  const first = roleContexts.find('/', undefined);
  await new Promise((resolve) => setImmediate(resolve));
  disk.description = 'second';
  const second = roleContexts.find('/', undefined);
  expect([(await first).role.description, (await second).role.description]).toEqual(['first', 'second']);
});

it('calls that come together are served by one look, each role and workspace by its own', async () => {
  const { disk, roleContexts } = createDisk();
  const found = await Promise.all([
    ...Array.from({ length: 50 }, () => roleContexts.find('/', 'reviewer')),
    roleContexts.find('/', 'developer'),
    roleContexts.find('/elsewhere', 'reviewer'),
  ]);
  expect([disk.looks, found.at(0)?.role.name, found.at(50)?.role.name]).toEqual([3, 'reviewer', 'developer']);
});
