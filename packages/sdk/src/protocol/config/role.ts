// A role as people see it: what an agent may do, and where that was said.
import { z } from 'zod';
import { PermissionMode, Slug } from '../session.ts';
import { Tier } from '../tool-info.ts';

export const Access = z.enum(['full', 'readonly']);
export type Access = z.infer<typeof Access>;

/** A tool by its full name, or all whose names begin alike. Refuses what could never match: `ping`, `mcp__*__x`. */
export const ToolPattern = z
  .string()
  .max(64)
  .regex(
    /^(?:[\w:-]*\*|mcp__[a-z][a-z0-9-]*__[\w-]+|[a-z][a-z0-9-]*:[\w-]+)$/,
    'use a full name such as mcp__toolyard__ping or claude:Read; it may end with one *',
  );

/** How far agents of a role may go; never farther than the configuration lets them. */
export const RoleLimits = z
  .strictObject({
    /** Levels of agents under one of this role. */
    maxDepth: z.int().min(0).max(16),
    maxChildren: z.int().min(0).max(1_000),
    maxAgents: z.int().min(0).max(100_000),
    spawnPerMinute: z.int().min(0).max(10_000),
    budgetUsd: z.number().min(0).max(1_000_000),
    tokens: z.int().min(0).max(1_000_000_000_000),
    wallMinutes: z.number().positive().max(100_000),
  })
  .partial();
export type RoleLimits = z.infer<typeof RoleLimits>;

/** The frontmatter of a role file. */
export const RoleHead = z.strictObject({
  name: Slug,
  description: z.string().min(1).max(1_000),
  category: Slug.default('coding'),
  engine: Slug.optional(),
  model: z.string().min(1).max(200).optional(),
  mode: PermissionMode.optional(),
  access: Access.optional(),
  tools: z
    .strictObject({
      allow: z.array(ToolPattern).max(1_000).default([]),
      deny: z.array(ToolPattern).max(1_000).default([]),
      tiers: z.record(ToolPattern, Tier).default({}),
    })
    .prefault({}),
  limits: RoleLimits.optional(),
});
export type RoleHead = z.infer<typeof RoleHead>;

export const Role = RoleHead.extend({
  instructions: z.string(),
  /** Where it was found: shipped, home, workspace or the program around the yard, and in which file. */
  source: z.enum(['shipped', 'home', 'workspace', 'code']),
  file: z.string(),
});
export type Role = z.infer<typeof Role>;

/** A role file that cannot be used, and why: file, line, what to do. */
export const BrokenRole = z.object({ file: z.string(), problem: z.string() });
export type BrokenRole = z.infer<typeof BrokenRole>;

/** A workspace's own files: whether a person trusts them as they are, and what that does. */
export const TrustView = z.object({
  workspace: z.string(),
  trusted: z.boolean(),
  hash: z.string(),
  files: z.array(z.string()),
  /** What trusting would widen, in sentences. */
  widens: z.array(z.string()),
  /** Why it cannot be trusted as it is, in sentences; empty when it can. */
  problems: z.array(z.string()),
  /** Files on the way up that do not count, and why, in sentences: another user's, and links. */
  ignored: z.array(z.string()).default([]),
});
export type TrustView = z.infer<typeof TrustView>;
