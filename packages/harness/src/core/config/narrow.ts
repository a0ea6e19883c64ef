// The stricter of two configurations, key by key: what a workspace may say before a person trusts it. Pure. A new key
// does not compile until its stricter side is chosen here.
import type { Config, PermissionMode, Tier } from '@toolyard/sdk';

/** From strict to lax. */
const modes: readonly PermissionMode[] = ['plan', 'default', 'acceptEdits', 'bypassPermissions'];
const securities: readonly Config['workspace']['security'][] = ['limited-control', 'full-control'];
const tiers: readonly Tier[] = ['always', 'session', 'auto'];

/** Never wider than `base` in anything. `wanted` is `base` with the workspace's words written over it. */
export function narrow(base: Config, wanted: Config): Config {
  return {
    // Not narrower or wider, only different: such keys are the person's until they trust the workspace.
    server: base.server,
    defaults: { ...base.defaults, mode: stricter(modes, base.defaults.mode, wanted.defaults.mode) },
    limits: narrowLimits(base.limits, wanted.limits),
    workspace: {
      security: stricter(securities, base.workspace.security, wanted.workspace.security),
      // Roots only add reach, so until it is trusted a workspace adds none.
      roots: base.workspace.roots,
      network: base.workspace.network.filter((host) => wanted.workspace.network.includes(host)),
    },
    // Where words and keys go is for the person to say.
    providers: base.providers,
    claude: base.claude,
    toolkits: narrowToolkits(base.toolkits, wanted.toolkits),
    toolApproval: narrowApproval(base.toolApproval, wanted.toolApproval),
    mcp: {
      streamTimeout: Math.min(base.mcp.streamTimeout, wanted.mcp.streamTimeout),
      fullAccessCategories: base.mcp.fullAccessCategories.filter((category) =>
        wanted.mcp.fullAccessCategories.includes(category),
      ),
    },
    tools: {
      deadlineMs: Math.min(base.tools.deadlineMs, wanted.tools.deadlineMs),
      // A hook that is late denies, so less time is never wider.
      hookDeadlineMs: Math.min(base.tools.hookDeadlineMs, wanted.tools.hookDeadlineMs),
    },
    output: {
      maxBytes: Math.min(base.output.maxBytes, wanted.output.maxBytes),
      keepBytes: Math.min(base.output.keepBytes, wanted.output.keepBytes),
    },
    // To keep less is to delete what is the person's.
    retention: base.retention,
    backup: base.backup,
  };
}

type Limits = Config['limits'];

function narrowLimits(base: Limits, wanted: Limits): Limits {
  const min = (key: Exclude<keyof Limits, 'onLimit'>) => Math.min(base[key], wanted[key]);
  return {
    maxSteps: min('maxSteps'),
    maxRepeats: min('maxRepeats'),
    maxDepth: min('maxDepth'),
    maxChildren: min('maxChildren'),
    maxAgents: min('maxAgents'),
    spawnPerMinute: min('spawnPerMinute'),
    budgetUsd: min('budgetUsd'),
    tokens: min('tokens'),
    wallMinutes: min('wallMinutes'),
    onLimit: base.onLimit === 'refuse' ? 'refuse' : wanted.onLimit,
    // Those of the whole server.
    dailyUsd: base.dailyUsd,
    concurrency: base.concurrency,
  };
}

type Approval = Config['toolApproval'];

function narrowApproval(base: Approval, wanted: Approval): Approval {
  return {
    defaultTier: stricter(tiers, base.defaultTier, wanted.defaultTier),
    perTool: narrowPerTool(base.perTool, wanted.perTool),
    approvalTimeout: Math.min(base.approvalTimeout, wanted.approvalTimeout),
    // Neither runs anything unasked; `deny` closes the question, `park` leaves it open to a later yes.
    unattended: base.unattended === 'deny' ? 'deny' : wanted.unattended,
    maxPending: Math.min(base.maxPending, wanted.maxPending),
    maxQuestions: Math.min(base.maxQuestions, wanted.maxQuestions),
  };
}

/**
 * Where the person says nothing of a tool, its role or the tool itself may already ask each time, and `perTool` outranks
 * both: there only `always` is sure to be no wider.
 */
function narrowPerTool(base: Approval['perTool'], wanted: Approval['perTool']): Approval['perTool'] {
  const stricterTiers = Object.entries(wanted).flatMap(([tool, tier]): [string, Tier][] => {
    const own = Object.hasOwn(base, tool) ? base[tool] : undefined;
    if (own) return [[tool, stricter(tiers, own, tier)]];
    return tier === 'always' ? [[tool, tier]] : [];
  });
  return Object.fromEntries([...Object.entries(base), ...stricterTiers]);
}

/** A toolkit is on unless it is switched off. */
function narrowToolkits(base: Config['toolkits'], wanted: Config['toolkits']): Config['toolkits'] {
  const off = Object.entries(wanted).filter(([, on]) => !on);
  return Object.fromEntries([...Object.entries(base), ...off]);
}

export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return stricter(modes, one, other);
}

function stricter<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}
