// Reads an agent file written for Claude Code as a role. Keys that only Claude Code knows are left alone; a tool list
// that cannot be kept as it was meant is refused, never widened.
import { PermissionMode, type Role, Slug, ToolPattern } from '@toolyard/sdk';
import { z } from 'zod';
import { splitFrontMatter } from '../files/front-matter.ts';
import { parseYaml } from '../files/yaml.ts';
import { decode, type RoleFile } from './role-file.ts';

const ToolList = z.union([z.string(), z.array(z.string()), z.null()]);

const AgentHead = z.looseObject({
  name: Slug,
  description: z.string().min(1),
  tools: ToolList.transform((written, context) =>
    splitTools(written).flatMap((name) => toAllowed(name, context)),
  ).optional(),
  // Denying more than was meant is safe: `Bash(rm:*)` takes all of Bash away.
  disallowedTools: ToolList.transform((written) => splitTools(written).flatMap(toDenied)).optional(),
  model: z.string().max(200).nullish(),
  permissionMode: z.string().nullish(),
});

const models = new Map([
  ['sonnet', 'anthropic/claude-sonnet-5'],
  ['opus', 'anthropic/claude-opus-5'],
  ['haiku', 'anthropic/claude-haiku-5'],
]);
const maxDescription = 1_000;

/** Nothing for a file without frontmatter, which Claude Code takes for no agent either. */
export function parseClaudeAgentFile({ content, file, source }: RoleFile): Role | undefined {
  const parts = splitFrontMatter(decode(content, file), file);
  if (!parts) return undefined;
  const { name, description, tools, disallowedTools, model, permissionMode } = parseYaml(
    AgentHead,
    quoteDescription(parts.head),
    file,
  );
  const mode = PermissionMode.safeParse(permissionMode).data;
  const knownModel = toModel(model ?? 'inherit');
  return {
    name,
    description:
      description.length > maxDescription ? `${description.slice(0, maxDescription - 1)}…` : description,
    category: 'coding',
    ...(knownModel && { model: knownModel }),
    ...(mode && { mode }),
    // Without a list the format means every built-in tool. Tools of the harness still come by category.
    tools: { allow: tools ?? ['claude:*'], deny: disallowedTools ?? [], tiers: {} },
    instructions: parts.body,
    source,
    file,
  };
}

/** `Read, Agent(a, b)` is two entries. */
function splitTools(written: z.infer<typeof ToolList>): string[] {
  const entries = Array.isArray(written) ? written : ((written ?? '').match(/[^,(]+(?:\([^)]*\))?/g) ?? []);
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

function toAllowed(name: string, context: z.core.$RefinementCtx): string[] {
  const pattern = toPattern(name);
  if (pattern !== undefined) return [pattern];
  const hint = name.includes('(')
    ? 'a tool can only be allowed as a whole, not for some calls'
    : 'use its plain name';
  context.addIssue({ code: 'custom', message: `${JSON.stringify(name.slice(0, 60))}: ${hint}` });
  return [];
}

function toDenied(name: string): string[] {
  const pattern = toPattern(name.replace(/\(.*$/s, '').trim());
  return pattern === undefined ? [] : [pattern];
}

function toPattern(name: string): string | undefined {
  const isServer = /^mcp__(?:(?!__).)+$/.test(name) && !name.endsWith('*');
  const full = isServer ? `${name}__*` : name.startsWith('mcp__') ? name : `claude:${name}`;
  return ToolPattern.safeParse(full).data;
}

function toModel(written: string): string | undefined {
  if (written.includes('/')) return written;
  return written.startsWith('claude-') ? `anthropic/${written}` : models.get(written);
}

/** Claude Code takes a description for plain text even where YAML would see a mapping or a comment in it. */
function quoteDescription(head: string): string {
  return head.replace(/^description:[ \t]+(?!["'|>[{&*!])(.*(?:: | #|:$).*)$/m, (_, text: string) => {
    return `description: ${JSON.stringify(text.trim())}`;
  });
}
