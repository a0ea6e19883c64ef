// The policy: a pure function from the facts of a call to allow, ask or deny, with the rule that decided. What a role is
// not offered, trust and limits are settled elsewhere and hold in every mode.
import type { Effect, PermissionMode, Risk, Scope, Tier } from '@toolyard/sdk';

export interface PolicyCase {
  mode: PermissionMode;
  effect: Effect;
  /** The rule that forbids a file it touches, whatever the mode. */
  forbidden?: string;
  /** The rule by which a person should know of it, whatever the tier. */
  sensitive?: string;
  /** A write inside the session's workspace. */
  inWorkspace: boolean;
  /** A tool of another's server: counts as `execute`. */
  external: boolean;
  /** What each voice says about how often to ask; the first that speaks wins. */
  tiers: { perTool?: Tier | undefined; role?: Tier | undefined; tool?: Tier | undefined; defaultTier: Tier };
  /** A grant that covers this very call. */
  grant?: { id: string; scope: 'session' | 'always' } | undefined;
}

export interface Decision {
  verdict: 'allow' | 'ask' | 'deny';
  /** The rule that decided, in words a person can check. */
  rule: string;
  /** The grant that allowed it. */
  grantId?: string;
}

type Column = 'read' | 'write in workspace' | 'write elsewhere, execute, external' | 'delegate';
type Cell = 'by tier' | 'run' | 'refuse';

const byTier: Record<Column, Cell> = {
  read: 'by tier',
  'write in workspace': 'by tier',
  'write elsewhere, execute, external': 'by tier',
  delegate: 'by tier',
};

/** Mode × effect. The documents print this table. */
export const policyTable: Readonly<Record<PermissionMode, Readonly<Record<Column, Cell>>>> = {
  default: byTier,
  acceptEdits: { ...byTier, read: 'run', 'write in workspace': 'run', delegate: 'run' },
  plan: {
    read: 'by tier',
    'write in workspace': 'refuse',
    'write elsewhere, execute, external': 'refuse',
    delegate: 'refuse',
  },
  bypassPermissions: {
    read: 'run',
    'write in workspace': 'run',
    'write elsewhere, execute, external': 'run',
    delegate: 'run',
  },
};

export function decide(asked: PolicyCase): Decision {
  if (asked.forbidden) return { verdict: 'deny', rule: asked.forbidden };
  const column = columnOf(asked);
  const cell = policyTable[asked.mode][column];
  if (cell !== 'refuse' && asked.sensitive && asked.mode !== 'bypassPermissions')
    return decideSensitive(asked, asked.sensitive);
  if (cell === 'run') return { verdict: 'allow', rule: `mode ${asked.mode} runs: ${column}` };
  if (cell === 'refuse') return { verdict: 'deny', rule: `mode ${asked.mode} refuses: ${column}` };
  return decideByTier(asked);
}

/** Tier `always` asks each time, whoever says so: there no grant counts, and none is made. */
export function allowsGrants(tiers: PolicyCase['tiers']): boolean {
  return resolveTier(tiers).tier !== 'always';
}

/** How far an allow may reach. A call that has its session to itself is never made again in it. */
export function toScopes(tiers: PolicyCase['tiers'], isAlone = false): Scope[] {
  if (!allowsGrants(tiers)) return ['once'];
  return isAlone ? ['once', 'always'] : ['once', 'session', 'always'];
}

/** A person is asked even where the mode or the tier would not, but for what they granted. */
function decideSensitive({ tiers, grant }: PolicyCase, sensitive: string): Decision {
  if (grant && allowsGrants(tiers)) return byGrant(grant);
  return { verdict: 'ask', rule: sensitive };
}

function byGrant({ id, scope }: NonNullable<PolicyCase['grant']>): Decision {
  return { verdict: 'allow', rule: `grant ${id} (${scope})`, grantId: id };
}

function decideByTier({ tiers, grant }: PolicyCase): Decision {
  const { tier, source } = resolveTier(tiers);
  const rule = `tier ${tier}, by ${source}`;
  if (tier === 'auto') return { verdict: 'allow', rule };
  if (grant && tier !== 'always') return byGrant(grant);
  return { verdict: 'ask', rule };
}

export function resolveTier({ perTool, role, tool, defaultTier }: PolicyCase['tiers']): {
  tier: Tier;
  source: string;
} {
  if (perTool) return { tier: perTool, source: 'toolApproval.perTool' };
  if (role) return { tier: role, source: 'the role' };
  if (tool) return { tier: tool, source: 'the tool' };
  return { tier: defaultTier, source: 'toolApproval.defaultTier' };
}

function columnOf({ effect, inWorkspace, external }: PolicyCase): Column {
  if (external || effect === 'execute') return 'write elsewhere, execute, external';
  if (effect === 'write') return inWorkspace ? 'write in workspace' : 'write elsewhere, execute, external';
  return effect;
}

/** How much is at stake, for the eyes of whoever is asked. */
export function toRisk({
  effect,
  inWorkspace,
  external,
  sensitive,
}: Pick<PolicyCase, 'effect' | 'inWorkspace' | 'external' | 'sensitive'>): Risk {
  if (external || effect === 'execute' || effect === 'delegate') return 'high';
  if (effect === 'read') return sensitive ? 'medium' : 'low';
  return inWorkspace ? 'medium' : 'high';
}
