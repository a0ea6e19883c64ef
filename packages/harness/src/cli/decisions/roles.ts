// `roles list` and `roles show`. Broken role files are reported on stderr, with file and line.
import { basename } from 'node:path';
import { type BrokenRole, type Role, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toWorkspace } from '../command-line/values.ts';
import { createServerLink, type ServerLink } from '../connection/server-link.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

export async function listRoles(call: Call): Promise<number> {
  const { out } = call.terminal;
  const { items, broken } = await read(await createServerLink(call), call);
  if (call.flags.has('json')) out.line(JSON.stringify({ items, broken }));
  else {
    const rows = items.map((role) => [
      role.name,
      role.category,
      role.access ?? '–',
      role.source,
      role.description,
    ]);
    writeTable(out, ['NAME', 'CATEGORY', 'ACCESS', 'FROM', 'WHAT IT IS FOR'], rows);
  }
  for (const each of broken) writeBroken(call.terminal.err, each);
  return 0;
}

function read(link: ServerLink, { env }: Call) {
  const cwd = toWorkspace(undefined, env);
  return link.ask((client) => client.roles.list({ cwd }));
}

function writeBroken(writer: TextWriter, { problem }: BrokenRole): void {
  writer.line(`${writer.paint('red', 'broken:')} ${toLine(problem)}`);
}

export async function showRole(call: Call): Promise<number> {
  const { out } = call.terminal;
  const [name = ''] = call.words;
  const link = await createServerLink(call);
  const { items, broken } = await read(link, call);
  const role = items.find((each) => each.name === name) ?? (await refuse(link, call, name, broken));
  if (call.flags.has('json')) out.line(JSON.stringify(role));
  else writeRole(out, role);
  return 0;
}

/** Throws the reason why there is no such role, as the server states it. */
async function refuse(
  link: ServerLink,
  { env }: Call,
  name: string,
  broken: readonly BrokenRole[],
): Promise<never> {
  const culprit = broken.find(({ file }) => basename(file, '.md') === name);
  if (culprit) throw new ToolyardError('invalid_config', culprit.problem, { data: culprit });
  await link.ask((client) => client.tools.list({ role: name, cwd: toWorkspace(undefined, env) }));
  throw new ToolyardError(
    'unknown_role',
    `There is no role ${JSON.stringify(name)}. To list roles: ${program} roles list`,
  );
}

function writeRole(writer: TextWriter, { instructions, tools, ...role }: Role): void {
  const facts: [string, string | undefined][] = [
    ['role', role.name],
    ['for', role.description],
    ['category', role.category],
    ['access', role.access],
    ['engine', role.engine],
    ['model', role.model],
    ['mode', role.mode],
    ['allows', tools.allow.join(', ')],
    ['denies', tools.deny.join(', ')],
    [
      'asks',
      Object.entries(tools.tiers)
        .map(([tool, tier]) => `${tool} ${tier}`)
        .join(', '),
    ],
    ['from', `${role.source}, ${role.file}`],
  ];
  for (const [name, text] of facts) {
    if (text) writer.line(`${writer.paint('dim', name.padEnd(9))} ${toLine(text)}`);
  }
  writer.line(`\n${writer.safe(instructions).trim()}`);
}
