// What a person sees of a session: the shapes that `reduce` makes of its events.
import type { Agent } from '../protocol/agent.ts';
import type { Actor, Approval, ApprovalState, Scope } from '../protocol/approval.ts';
import type { Content } from '../protocol/content/content.ts';
import type { Failure } from '../protocol/error.ts';
import type { EventData, TurnEnd } from '../protocol/event.ts';
import type { Question } from '../protocol/question.ts';
import type { PermissionMode, SessionStatus } from '../protocol/session.ts';

export type TranscriptItem =
  | UserItem
  | { kind: 'text'; seq: number; text: string }
  | { kind: 'thinking'; seq: number; text: string }
  | ToolItem
  | { kind: 'error'; seq: number; error: Failure }
  /** An event of a newer server, by the name it has there. */
  | { kind: 'unknown'; seq: number; type: string }
  | EndItem;

export interface UserItem {
  kind: 'user';
  seq: number;
  at: string;
  turnId: string;
  content: Content;
}

export interface ToolItem {
  kind: 'tool';
  seq: number;
  toolCallId: string;
  tool: string;
  state: 'writing' | 'called' | 'done' | 'failed' | 'unknown';
  /** The input as it streams; whole once `state` is past `writing`. */
  inputText: string;
  input?: unknown;
  output?: unknown;
  /** The output is the two ends of a longer one. */
  truncated?: boolean;
  /** Where the whole of it is kept. */
  outputId?: string;
  progress?: EventData<'tool_progress'>;
  /** Since when it has been under way; the time that a person took to answer is not the call's. */
  since?: string;
  tookMs?: number;
  /** Number of the event that said its whole input. */
  calledSeq?: number;
  /** Number of its result: what began before it ran beside it. */
  endSeq?: number;
  /** What a person was asked about it, and what became of that. */
  approval?: ItemApproval;
  /** The grant by which it ran without a question. */
  grant?: { id: string; scope: Exclude<Scope, 'once'> };
}

export interface ItemApproval {
  id: string;
  state: ApprovalState;
  scope?: Scope | undefined;
  decidedBy?: Actor | undefined;
}

export interface EndItem {
  kind: 'end';
  seq: number;
  turnId: string;
  outcome: TurnEnd;
  error?: Failure | undefined;
  costUsd: number | null;
  /** Of this turn; absent when nothing was counted. */
  usage?: Used;
  tookMs?: number;
  /** It was one call that somebody else made, beside the session's turns. */
  isBeside?: true;
}

export interface Used {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
  /** Of a cost that is not known, what is. */
  knownUsd?: number;
  /** A step was cut off before anybody said what it used. */
  isUncounted?: true;
}

export interface SessionView {
  lastSeq: number;
  status: SessionStatus;
  /** Once one of them was changed. */
  mode?: PermissionMode;
  model?: string;
  /** The turn under way, since when, and what it has used. */
  turnId?: string;
  turnSince?: string;
  turnUsage?: Used;
  items: readonly TranscriptItem[];
  /** Messages that wait for the turn under way to end. */
  queued: readonly UserItem[];
  /** What a person is being asked. */
  approvals: readonly Approval[];
  questions: readonly Question[];
  /** What it, and those under it, have drafted; each as it was last heard of. */
  agents: Readonly<Record<string, Agent>>;
  usage: Used;
}

export const emptyView: SessionView = {
  lastSeq: 0,
  status: 'idle',
  items: [],
  queued: [],
  agents: {},
  approvals: [],
  questions: [],
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
};
