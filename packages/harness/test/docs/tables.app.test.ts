// Holds the tables of the guides to the code they describe.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Config, grantDays, RoleLimits } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { root } from '../../../../scripts/source/repository.ts';
import { policyTable } from '../../src/core/calls/policy.ts';

const approvals = await readFile(join(root, 'docs/approvals.md'), 'utf8');
const agents = await readFile(join(root, 'docs/agents.md'), 'utf8');
const roles = await readFile(join(root, 'docs/roles.md'), 'utf8');
const configuration = await readFile(join(root, 'docs/configuration.md'), 'utf8');

it('docs/approvals.md prints the policy, cell by cell', () => {
  const columns = Object.keys(policyTable.default);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(policyTable).map(([mode, cells]) =>
    line([`\`${mode}\``, ...Object.values(cells)]),
  );
  const table = [`| ${line(columns)}`, `|${'---|'.repeat(columns.length + 1)}`, ...rows].join('\n');
  expect(approvals).toContain(`\n\n${table}\n\n`);
});

it('docs/approvals.md says how long a grant holds and an approval waits', () => {
  const { approvalTimeout } = Config.parse({}).toolApproval;
  expect(approvals).toContain(`| \`session\` | the same call in this session | ${grantDays.session} days,`);
  expect(approvals).toMatch(new RegExp(`\\| \`always\` \\| .* \\| ${grantDays.always} days,`));
  expect([approvalTimeout, approvals.includes('half an hour unless you set it')]).toEqual([1_800_000, true]);
});

it('docs/configuration.md names every key with its default, in the order of the schema, and no other', () => {
  const documented = [...configuration.matchAll(/^\| `([a-zA-Z.]+)` \| `([^`]*)` \|/gm)].map(
    ([, key, standard]) => `${key} = ${standard}`,
  );
  expect(documented).toEqual(listDefaults(z.toJSONSchema(Config, { io: 'input' })));
});

it('docs/agents.md has every limit with its default, in the order of the schema', () => {
  const documented = [...agents.matchAll(/^\| `(limits\.\w+)` \| `([^`]*)` \|/gm)].map(
    ([, key, standard]) => `${key} = ${standard}`,
  );
  const { limits } = Object(z.toJSONSchema(Config, { io: 'input' })).properties;
  expect(documented).toEqual(listDefaults(limits, 'limits'));
});

it('docs/roles.md names every limit that a role file may set', () => {
  const [, section = ''] = /## Limits of a role\n([\s\S]*?)\n## /.exec(roles) ?? [];
  const named = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining(Object.keys(RoleLimits.shape)));
});

/** Every key that is not itself a group, with its default as the file would write it. */
function listDefaults(schema: unknown, path = ''): string[] {
  const { properties, default: standard } = Object(schema);
  const shown = typeof standard === 'string' ? standard : (JSON.stringify(standard) ?? 'none');
  if (!properties) return [`${path} = ${shown}`];
  return Object.entries(properties).flatMap(([key, below]) =>
    listDefaults(below, path ? `${path}.${key}` : key),
  );
}
