// A session: a conversation with one agent. Names and ids have one grammar, checked here.
import { z } from 'zod';

export const SessionId = z.string().regex(/^ses_[0-9a-z]{22}$/, 'not a session id');
export const TurnId = z.string().regex(/^trn_[0-9a-z]{22}$/, 'not a turn id');

/** Role, engine and task names: safe as a file name, a URL segment and a shell word. */
export const Slug = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,63}$/,
    'use 1 to 64 lower-case letters, digits and dashes, starting with a letter',
  );

/** `provider/model` as providers write it; it may become part of an address, so no `..` in it. */
export const ModelName = z
  .string()
  .regex(
    /^(?!.*\.\.)[A-Za-z0-9][\w.:@/+-]{0,199}$/,
    'use 1 to 200 letters, digits and . _ : @ / + -, starting with a letter or digit, without ".."',
  );

const Title = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'use no control characters');

export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan', 'bypassPermissions']);
export type PermissionMode = z.infer<typeof PermissionMode>;

export const SessionStatus = z.enum(['idle', 'running', 'waiting', 'closed']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const Session = z.object({
  id: SessionId,
  title: z.string(),
  role: Slug,
  engine: Slug,
  model: z.string(),
  mode: PermissionMode,
  cwd: z.string(),
  workspace: z.string(),
  status: SessionStatus,
  lastSeq: z.int().nonnegative(),
  rootSessionId: SessionId,
  parentAgentId: z.string().optional(),
  /** The agent that works in it, when it was drafted. */
  agentId: z.string().optional(),
  /** How many drafted it, one the other; absent at the root of a run. */
  depth: z.int().positive().optional(),
  /** What its turns work on. */
  taskSlug: Slug.optional(),
  /** Who makes its calls, when nobody converses in it: kind, id and surface. */
  caller: z.string().optional(),
  /** `null` when the price of a model is not known, or a turn was stopped before it was counted: that is not zero. */
  costUsd: z.number().nullable(),
  /** Of a cost that is not known, what is: that of its other turns. */
  knownUsd: z.number().positive().optional(),
  /** It goes on from a part of another one: all up to that event. */
  forkedFrom: z.object({ sessionId: SessionId, seq: z.int().nonnegative() }).optional(),
  /** Begun outside of Toolyard, with the engine's own program. */
  origin: z.literal('outside').optional(),
  /** What a person should know of it: bytes of a transcript that could not be read, and where. */
  warnings: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Session = z.infer<typeof Session>;

/** What of a session may be changed. A mode counts from the next call on, a model or trace from the next turn. */
export const ChangeSession = z
  .strictObject({ title: Title, mode: PermissionMode, model: ModelName, trace: z.boolean() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'say what to change: title, mode, model or trace');
export type ChangeSession = z.infer<typeof ChangeSession>;

/** Without `at`: all of it. */
export const ForkSession = z.strictObject({
  /** Number of an event: the fork ends with the turn that it is in, or the last one before it. */
  at: z.int().nonnegative().optional(),
  title: Title.optional(),
});
export type ForkSession = z.infer<typeof ForkSession>;

export const ExportFormat = z.enum(['markdown', 'json']);
export type ExportFormat = z.infer<typeof ExportFormat>;

export const CreateSession = z.strictObject({
  role: Slug.optional(),
  engine: Slug.optional(),
  model: ModelName.optional(),
  mode: PermissionMode.optional(),
  cwd: z.string().min(1).max(4096).optional(),
  title: Title.optional(),
  /** The task that its turns work on; it is made if there is none. */
  taskSlug: Slug.optional(),
  /** Write down what goes between the engine and its own program, as long as this server runs. */
  trace: z.boolean().optional(),
});
export type CreateSession = z.infer<typeof CreateSession>;

/** What the agent of a session is given, for a person who asks why it can or cannot do something. */
export const SessionContext = z.object({
  engine: z.string(),
  model: z.string(),
  mode: PermissionMode,
  role: z.string(),
  instructions: z.string(),
  /** The host tools on offer, by full name. */
  tools: z.array(z.string()),
  /** Those of the engine's own tools that the role has. */
  nativeTools: z.array(z.string()),
  /** How full the model's window is, when the engine runs and can tell. */
  window: z
    .object({
      usedTokens: z.int().nonnegative(),
      windowTokens: z.int().nonnegative(),
      parts: z.array(z.object({ name: z.string(), tokens: z.int().nonnegative() })),
    })
    .optional(),
});
export type SessionContext = z.infer<typeof SessionContext>;
