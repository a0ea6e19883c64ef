// What an address says beyond which screen it is. Nonsense in it is passed over.
import { AuditFilter, PermissionMode, TaskStatus } from '@toolyard/sdk';

type RawSearch = Record<string, unknown>;

interface Schema<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false };
}

function read<Value>(schema: Schema<Value>, value: unknown): Value | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value);
}

export interface ConversationSearch {
  /** Number of the event that a search has found here. */
  at?: number | undefined;
  /** What was looked for. */
  q?: string | undefined;
}

export function toConversationSearch({ at, q }: RawSearch): ConversationSearch {
  return { at: typeof at === 'number' && Number.isSafeInteger(at) && at > 0 ? at : undefined, q: word(q) };
}

export interface AgentsSearch {
  /** Only trees in which somebody works. */
  show?: 'live' | undefined;
  /** The one tree to show: of this session. */
  root?: string | undefined;
}

export function toAgentsSearch({ show, root }: RawSearch): AgentsSearch {
  return { show: oneOf(['live'], show), root: word(root) };
}

export function toTasksSearch({ status }: RawSearch): { status?: TaskStatus | undefined } {
  return { status: read(TaskStatus, status) };
}

export const taskTabs = ['history', 'context'] as const;
export type TaskTab = (typeof taskTabs)[number];

export function toTaskSearch({ tab }: RawSearch): { tab?: TaskTab | undefined } {
  return { tab: oneOf(taskTabs, tab) };
}

export interface ToolsSearch {
  q?: string | undefined;
  mode?: PermissionMode | undefined;
  /** The full name of the tool whose panel is open. */
  tool?: string | undefined;
}

export function toToolsSearch({ q, mode, tool }: RawSearch): ToolsSearch {
  return { q: word(q), mode: read(PermissionMode, mode), tool: word(tool) };
}

export function toAuditSearch({ q, kind, decision, actor, tool, sessionId }: RawSearch): AuditFilter {
  const { shape } = AuditFilter;
  return {
    q: word(q),
    tool: word(tool),
    sessionId: word(sessionId),
    kind: read(shape.kind, kind),
    decision: read(shape.decision, decision),
    actor: read(shape.actor, actor),
  };
}

export const ranges = ['24h', '7d', '30d', '90d'] as const;
export type Range = (typeof ranges)[number];
export const groupings = ['role', 'model', 'session'] as const;
export const measures = ['cost', 'tokens'] as const;

export interface UsageSearch {
  range?: Range | undefined;
  by?: (typeof groupings)[number] | undefined;
  measure?: (typeof measures)[number] | undefined;
}

export function toUsageSearch({ range, by, measure }: RawSearch): UsageSearch {
  return { range: oneOf(ranges, range), by: oneOf(groupings, by), measure: oneOf(measures, measure) };
}

const settingsTabs = ['configuration', 'tokens', 'grants', 'trust', 'roles', 'doctor'] as const;
export type SettingsTab = (typeof settingsTabs)[number];

export function toSettingsSearch({ tab }: RawSearch): { tab?: SettingsTab | undefined } {
  return { tab: oneOf(settingsTabs, tab) };
}
