// `tools list`: the tools that a role may call and, with --explain, the verdict on each call and its rule.
import { type ListedTool, PermissionMode } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toWorkspace } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { writeTable } from '../terminal/table.ts';
import type { TextWriter } from '../terminal/terminal.ts';

export async function listTools(call: Call): Promise<number> {
  const { out } = call.terminal;
  const { role, mode } = call.options;
  const explains = call.flags.has('explain');
  const query = {
    cwd: toWorkspace(undefined, call.env),
    ...(role && { role }),
    ...(explains && { explain: 'true' as const }),
    ...(mode && { mode: toChoice(mode, '--mode', PermissionMode.options) }),
  };
  const link = await createServerLink(call);
  const { items } = await link.ask((client) => client.tools.list(query));
  if (call.flags.has('json')) out.line(JSON.stringify({ items }));
  else if (items.length === 0) out.line(formatNone(explains));
  else if (explains) writeExplained(out, items);
  else writeTools(out, items);
  return 0;
}

function formatNone(explains: boolean): string {
  if (explains) return 'No tools. The configuration switches every toolkit off.';
  return 'This role has no tools of Toolyard. To see why, and the tools of its engine, add --explain.';
}

function writeTools(writer: TextWriter, items: readonly ListedTool[]): void {
  const rows = items.map(({ name, effect, tier, description }) => [name, effect, tier, description]);
  writeTable(writer, ['TOOL', 'EFFECT', 'ASKS', 'WHAT IT DOES'], rows);
}

function writeExplained(writer: TextWriter, items: readonly ListedTool[]): void {
  const rows = items.map(({ name, engine, effect, offered, verdict, rule }) => [
    engine ? `${name} (engine ${engine})` : name,
    effect,
    offered ? 'yes' : 'no',
    offered ? verdict : '–',
    rule,
  ]);
  writeTable(writer, ['TOOL', 'EFFECT', 'OFFERED', 'VERDICT', 'RULE'], rows);
}
