// An approval in words: why it is asked, what each answer would mean, how long it waits, who answered. Pure.
import {
  type Actor,
  type Approval,
  type ApprovalState,
  grantDays,
  type Question,
  type Scope,
  type Session,
  scopesOf,
  toVisibleLine,
} from '@toolyard/sdk';
import { toDuration } from '../parts/format-time.ts';
import { toFlatJson } from '../text/flat-json.ts';

/** Says a person by the id of their token. */
export type NameOf = (id: string) => string;

export interface Choice {
  key: string;
  decision: 'allow' | 'deny';
  scope?: Scope;
  label: string;
  /** What it would grant. */
  meaning: string;
}

const deny: Choice = { key: 'd', decision: 'deny', label: 'Deny', meaning: 'The agent is told no, and why.' };
const once: Choice = {
  key: 'a',
  decision: 'allow',
  scope: 'once',
  label: 'Allow once',
  meaning: 'This one call, exactly as shown.',
};

/** What a person may answer, from the least to the most. */
export function toChoices(approval: Approval, session: Session | undefined): Choice[] {
  const what = formatKey(approval);
  const allows: Record<Scope, Choice> = {
    once,
    session: {
      key: 's',
      decision: 'allow',
      scope: 'session',
      label: 'This session',
      meaning: `${what}, in this session, for ${grantDays.session} days at most.`,
    },
    always: {
      key: 'w',
      decision: 'allow',
      scope: 'always',
      label: 'Always',
      meaning: `${what}, for ${formatHolder(session)}, for ${grantDays.always} days at most. You can take it back in the settings.`,
    },
  };
  return [deny, ...scopesOf(approval).map((scope) => allows[scope])];
}

/** Why there is no wider answer, where there is none. */
export function formatOnlyOnce(approval: Pick<Approval, 'scopes' | 'tool'>): string | undefined {
  if (scopesOf(approval).length > 1) return undefined;
  return `It is asked about every time, so no wider answer is offered. To be asked once in a session instead, set toolApproval.perTool for ${toVisibleLine(approval.tool)} to session.`;
}

function formatKey({ tool, grantKey, input }: Approval): string {
  if (grantKey === tool) return 'This tool with any input';
  const rest = grantKey.startsWith(`${tool} `) ? grantKey.slice(tool.length + 1) : grantKey;
  if (rest === toFlatJson(toSorted(input))) return 'This tool with exactly this input';
  if (rest.length <= 160) return `This tool with ${toVisibleLine(rest)}`;
  const ends = `${toVisibleLine(rest.slice(0, 80))}⟨…⟩${toVisibleLine(rest.slice(-60))}`;
  return `This tool with ${ends} (${rest.length.toLocaleString('en-US')} characters)`;
}

/** As keys are written: names in order. */
function toSorted(value: unknown, levels = 20): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || levels === 0) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, toSorted(field, levels - 1)]));
}

function formatHolder(session: Session | undefined): string {
  if (!session) return 'this role in this workspace';
  return `the role ${toVisibleLine(session.role)} in ${toVisibleLine(session.workspace)}`;
}

const tiers: Readonly<Record<string, string>> = {
  session: 'A call like this is asked about once in a session',
  always: 'A call like this is asked about every time',
};
const sourceNames: Readonly<Record<string, string>> = {
  'the tool': 'the tool says so itself',
  'the role': 'the role says so',
  'toolApproval.perTool': 'your configuration says so for this tool (toolApproval.perTool)',
  'toolApproval.defaultTier': 'it is the default in your configuration (toolApproval.defaultTier)',
};

export function formatRule(rule: string): string {
  const [, tier = '', source = ''] = /^tier (\w+), by (.+)$/.exec(rule) ?? [];
  const [what, who] = [tiers[tier], sourceNames[source]];
  return what && who ? `${what}: ${who}.` : toVisibleLine(rule);
}

export function formatWaiting({ expiresAt, unattended }: Asked, now: number): string {
  const willPark = unattended === 'park';
  if (expiresAt === null) return 'Parked: nobody answered in time, and it still can be answered.';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return willPark ? 'About to be parked.' : 'About to expire.';
  return `${willPark ? 'Is parked' : 'Expires'} in ${formatLeft(leftMs)}.`;
}

/** By the second only when it matters. */
function formatLeft(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : toDuration(ms);
}

interface Asked {
  expiresAt: string | null;
  unattended?: 'deny' | 'park' | undefined;
}

const states: Record<ApprovalState, string> = {
  pending: 'Waits for an answer',
  allowed: 'Allowed',
  denied: 'Denied',
  expired: 'Expired: nobody answered in time',
  cancelled: 'No longer asked: its turn has ended',
};
const scopes: Record<Scope, string> = { once: 'once', session: 'for this session', always: 'always' };

export interface Decided {
  state: ApprovalState;
  scope?: Scope | undefined;
  decidedBy?: Actor | undefined;
}

/** `Allowed for this session by the owner, from the terminal` */
export function formatDecision({ state, scope, decidedBy }: Decided, nameOf?: NameOf): string {
  const how = state === 'allowed' && scope ? `${states[state]} ${scopes[scope]}` : states[state];
  if (decidedBy?.kind === 'system' && state === 'allowed') return `${how} with the same call beside it`;
  return `${how}${formatBy(decidedBy, nameOf)}`;
}

const questionEnds: Record<Question['state'], string> = {
  pending: 'Waits for an answer',
  answered: 'Answered',
  expired: 'Expired: nobody answered in time',
  cancelled: 'No longer asked: its turn has ended',
};

export function formatQuestionEnd(
  { state, decidedBy }: Pick<Question, 'state' | 'decidedBy'>,
  nameOf?: NameOf,
): string {
  return `${questionEnds[state]}${formatBy(decidedBy, nameOf)}`;
}

function formatBy(actor: Actor | undefined, nameOf?: NameOf): string {
  return actor && actor.kind !== 'system' ? ` ${formatActor(actor, nameOf)}` : '';
}

const grantScopes = { session: 'for this session', always: 'always, for this role and workspace' };

/** Why a call ran without a question. */
export function formatGrant(scope: keyof typeof grantScopes): string {
  return `Ran without a question: you had allowed it ${grantScopes[scope]}`;
}

const surfaces: Readonly<Record<string, string>> = {
  web: 'from the page',
  terminal: 'from the terminal',
  library: 'from a program',
};

/** A login is known by its token only, which tells nobody anything unless its name is known. */
function formatWho(kind: Actor['kind'], id: string, nameOf: NameOf | undefined): string {
  if (kind !== 'person') return `${kind} ${toVisibleLine(id)}`;
  if (nameOf) return nameOf(id);
  if (id.startsWith('tok_')) return 'a person';
  return id === 'owner' ? 'the owner' : toVisibleLine(id);
}

/** Every fact about who it was, for who wants to know. */
export function nameActor({ kind, id, via }: Actor): string {
  return toVisibleLine(`${kind} ${id} via ${via}`);
}

export function formatActor({ kind, id, via }: Actor, nameOf?: NameOf): string {
  return `by ${formatWho(kind, id, nameOf)}, ${surfaces[via] ?? `from ${toVisibleLine(via)}`}`;
}

/** It runs something, or much is at stake: it is read whole, and no answer invites. */
export function isHighRisk({ effect, risk }: Pick<Approval, 'effect' | 'risk'>): boolean {
  return effect === 'execute' || risk === 'high';
}
