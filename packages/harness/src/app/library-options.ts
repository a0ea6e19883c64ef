// What a program may say when it opens a yard, and the check of it: a slip is refused, never passed over in silence.
import {
  Config,
  type Role,
  RoleHead,
  ServerName,
  type Toolkit,
  ToolName,
  ToolyardError,
} from '@toolyard/sdk';
import { z } from 'zod';
import type { Hooks } from '../core/calls/hooks.ts';
import type { ConfigInput } from '../core/config/config.ts';
import { requireValid } from '../core/files/validate.ts';
import type { Logger } from '../core/lib/ports.ts';

/** A role, said in code: the keys of a role file's frontmatter, and its text. */
export type RoleDefinition = z.input<typeof RoleDefinition>;

const RoleDefinition = RoleHead.extend({ instructions: z.string().max(262_144).default('') });

export interface ToolyardOptions {
  /** Where everything is kept (default: `TOOLYARD_HOME`, else `~/.toolyard`). One yard at a time may have it. */
  home?: string;
  /** Directory of sessions that name none (default: `TOOLYARD_WORKSPACE`, else where the program runs). */
  workspace?: string;
  /** Tools of your own. */
  toolkits?: readonly Toolkit[];
  /** Roles of your own; one with the name of a role that ships or lies in the home takes its place. */
  roles?: readonly RoleDefinition[];
  /** What hears and judges every tool call, and hears every event. */
  hooks?: Hooks;
  /** Each key takes the place of the same key in the home's `config.yaml`. */
  config?: ConfigInput;
  /** Keys of providers and the variables of Toolyard are looked for here (default: `process.env`). */
  env?: Readonly<Record<string, string | undefined>>;
  /** Takes the place of the log file in the home; `console` will do. Taking secrets out is then its own affair. */
  logger?: Logger;
  /** Let the scripted model answer, even when a key is there. */
  rehearse?: boolean;
  /** What the scripted model says: a scenario file, or a folder of them. */
  scenario?: string;
  /** Another process took the home over: this yard can write nothing any more. */
  onLost?: (error: ToolyardError) => void;
}

const anyFunction = z.custom<unknown>((value) => typeof value === 'function', 'must be a function');

const hookShape = {
  beforeToolCall: anyFunction.optional(),
  afterToolCall: anyFunction.optional(),
  onEvent: anyFunction.optional(),
} satisfies Record<keyof Hooks, z.ZodType>;

const shape = {
  home: z.string().min(1).optional(),
  workspace: z.string().min(1).optional(),
  toolkits: z
    .array(
      z.looseObject({
        name: z.string(),
        server: ServerName,
        tools: z.array(z.looseObject({ name: ToolName, run: anyFunction })),
      }),
    )
    .optional(),
  roles: z.array(RoleDefinition).optional(),
  hooks: z.strictObject(hookShape).optional(),
  config: Config.optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  logger: z
    .looseObject({ debug: anyFunction, info: anyFunction, warn: anyFunction, error: anyFunction })
    .optional(),
  rehearse: z.boolean().optional(),
  scenario: z.string().min(1).optional(),
  onLost: anyFunction.optional(),
} satisfies Record<keyof ToolyardOptions, z.ZodType>;

/** Throws `invalid_config` with one sentence. */
export async function checkOptions(options: ToolyardOptions): Promise<{ roles: Role[] }> {
  await requireValid(z.strictObject(shape), withPlainHooks(options), 'createToolyard');
  const roles = (options.roles ?? []).map(toRole);
  const twice = roles.find(({ name }, index) => roles.findIndex((other) => other.name === name) !== index);
  if (!twice) return { roles };
  throw new ToolyardError('invalid_config', `createToolyard: two roles have the name "${twice.name}".`);
}

function toRole(definition: RoleDefinition): Role {
  return { ...RoleDefinition.parse(definition), source: 'code', file: 'createToolyard' };
}

/** An object of a class may hold more than hooks; in a plain one, a name with a slip in it would guard nothing. */
function withPlainHooks(options: ToolyardOptions): unknown {
  const hooks = options?.hooks;
  if (typeof hooks !== 'object' || hooks === null) return options;
  if ([Object.prototype, null].includes(Object.getPrototypeOf(hooks))) return options;
  const { beforeToolCall, afterToolCall, onEvent } = hooks;
  return { ...options, hooks: { beforeToolCall, afterToolCall, onEvent } };
}
