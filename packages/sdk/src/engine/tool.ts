// How a tool is declared. A tool is data plus one plain async function; nothing here runs it (core/calls/toolbox.ts does).
import { z } from 'zod';
import { ToolyardError } from '../protocol/error.ts';
import type { Effect, Tier } from '../protocol/tool-info.ts';

export const ToolName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,47}$/, 'a tool name is 1 to 48 lower-case letters, digits and underscores');
export const ServerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a server name is 1 to 32 lower-case letters, digits and dashes');

/** What a handler may know about the call it serves. */
export interface ToolContext {
  sessionId: string;
  turnId: string;
  toolCallId: string;
  /** The session's directory. */
  cwd: string;
  /** Aborts when the turn is interrupted or the deadline passes; a handler that waits must listen. */
  signal: AbortSignal;
  /** Tells whoever watches how far the work is. */
  progress(report: Progress): void;
}

export interface Progress {
  message?: string;
  done?: number;
  total?: number;
}

export interface ToolDefinition<I, O> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  tier?: Tier;
  input: z.ZodObject & z.ZodType<I>;
  output: z.ZodObject & z.ZodType<O>;
  /** What "the same call" means when a person allows more than this one. */
  grantKey?(input: NoInfer<I>): string;
  /** What the approver sees beside the input: a diff, a plan. */
  preview?(input: NoInfer<I>, ctx: ToolContext): Promise<string> | string;
  /** Milliseconds; past it the call has failed. */
  deadlineMs?: number;
  /** Run the handler in a thread of its own, so that it may spin and still be ended. Same module and export as here. */
  worker?: { module: string; exportName: string };
  /** It only waits for what is stored: after a restart the call goes on, and making it again is no loop. */
  waits?: true;
  run(input: NoInfer<I>, ctx: ToolContext): Promise<O>;
}

/** A declared tool with its types erased: what registries and engines handle. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  tier: Tier | undefined;
  input: z.ZodObject;
  output: z.ZodObject;
  grantKey: ((input: unknown) => string) | undefined;
  preview: ((input: unknown, ctx: ToolContext) => Promise<string> | string) | undefined;
  deadlineMs: number | undefined;
  worker: { module: string; exportName: string } | undefined;
  waits: true | undefined;
  run(input: unknown, ctx: ToolContext): Promise<unknown>;
}

/** Throw this from a handler to tell the model, in words it can act on, why the call failed. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Declares a tool. The name is checked here; the input is parsed before `run` sees it. */
export function defineTool<I, O>(definition: ToolDefinition<I, O>): Tool {
  requireName(ToolName, definition.name);
  const { grantKey, preview } = definition;
  // The toolbox hands over only what `input` has parsed, so the erased parameter is of the declared type.
  return {
    ...definition,
    tier: definition.tier,
    deadlineMs: definition.deadlineMs,
    worker: definition.worker,
    waits: definition.waits,
    grantKey: grantKey && ((input) => grantKey(input as I)),
    preview: preview && ((input, ctx) => preview(input as I, ctx)),
    run: (input, ctx) => definition.run(input as I, ctx),
  };
}

/** A named group of tools, switched off as a whole. One with dependencies is a plain function that returns it. */
export interface Toolkit {
  name: string;
  /** The MCP server its tools appear under. */
  server: string;
  tools: readonly Tool[];
}

export function defineToolkit(kit: { name: string; server?: string; tools: readonly Tool[] }): Toolkit {
  return { name: kit.name, server: requireName(ServerName, kit.server ?? 'toolyard'), tools: kit.tools };
}

/** The one name of a tool on the wire and everywhere else. Server names hold no underscore, so it splits one way. */
export function toFullName(server: string, tool: string): string {
  const name = `mcp__${requireName(ServerName, server)}__${requireName(ToolName, tool)}`;
  if (name.length <= 64) return name;
  throw new ToolyardError(
    'invalid_config',
    `${name} is longer than 64 characters. Shorten one of its parts.`,
  );
}

function requireName(schema: typeof ToolName | typeof ServerName, name: string): string {
  const { data, error } = schema.safeParse(name);
  if (data !== undefined) return data;
  const shown = JSON.stringify(name)?.slice(0, 80);
  throw new ToolyardError('invalid_config', `${shown}: ${error?.issues[0]?.message}.`);
}
