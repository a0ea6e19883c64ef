// Gathers what the policy must know about one call and asks it. For host tools and an engine's own alike.
import type {
  Approval,
  Config,
  Effect,
  PermissionMode,
  Risk,
  Role,
  Scope,
  Session,
  StoreReads,
  Tier,
  TouchedPath,
} from '@toolyard/sdk';
import { matches } from '../access/access.ts';
import { toLineage } from '../audit/audit-changes.ts';
import { stricterMode } from '../config/narrow.ts';
import { toCanonical, toHash } from '../lib/canonical.ts';
import type { PathFacts } from '../protected-paths/path-facts.ts';
import { type Decision, decide, type PolicyCase, toRisk, toScopes } from './policy.ts';

/** A call as it is judged: the parsed input and what the tool says of itself. */
export interface JudgedCall {
  id: string;
  tool: string;
  input: unknown;
  effect: Effect;
  external: boolean;
  schemaHash: string;
  toolTier: Tier | undefined;
  /** The tool's own idea of "the same call". */
  ownKey: string | undefined;
  /** The files it touches. */
  paths: readonly TouchedPath[];
}

export interface JudgeScope {
  session: Session;
  role: Role;
  /** In force in the session's workspace. */
  config: Config;
  turnId: string;
  /** The call has its session to itself. */
  isAlone?: boolean;
}

export interface Judgement extends Decision {
  /** How far an allow may reach, should a person be asked. */
  scopes: readonly Scope[];
  grantId: string | undefined;
  grantKey: string;
  inputHash: string;
  risk: Risk;
}

export interface JudgeDeps {
  now: () => string;
  judgePaths(paths: readonly TouchedPath[], session: Session): Promise<PathFacts>;
}

const noPaths: PathFacts = { inWorkspace: false };

export function createJudge({ now, judgePaths }: JudgeDeps) {
  return async (reads: StoreReads, call: JudgedCall, scope: JudgeScope): Promise<Judgement> => {
    const { session, role, config } = scope;
    const facts = call.paths.length > 0 ? await judgePaths(call.paths, session) : noPaths;
    const grantKey = toGrantKey(call, facts);
    const found = await reads.grantFor({
      tool: call.tool,
      key: grantKey,
      schemaHash: call.schemaHash,
      sessionId: session.id,
      role: role.name,
      workspace: session.workspace,
      at: now(),
    });
    const tiers = toTiers(call, role, config);
    const decision = decide({
      ...facts,
      mode: await modeOf(reads, session),
      effect: call.effect,
      external: call.external,
      tiers,
      grant: found && { id: found.id, scope: found.scope },
    });
    const used =
      decision.verdict === 'allow' && found && decision.rule.includes(found.id) ? found.id : undefined;
    const risk = toRisk({ ...facts, effect: call.effect, external: call.external });
    const about = { grantKey, inputHash: toHash(call.input), risk };
    return { ...decision, ...about, scopes: toScopes(tiers, scope.isAlone), grantId: used };
  };
}

/** As it is now: a person may have switched it since the turn began. */
async function modeOf(
  reads: StoreReads,
  { id, mode, agentId, rootSessionId }: Session,
): Promise<PermissionMode> {
  const own = (await reads.session(id))?.mode ?? mode;
  if (!agentId || rootSessionId === id) return own;
  // Nobody under a root is laxer than the root is now.
  const root = await reads.session(rootSessionId);
  return root ? stricterMode(own, root.mode) : own;
}

/** What each voice says about how often to ask. */
export function toTiers(
  { tool, toolTier }: Pick<JudgedCall, 'tool' | 'toolTier'>,
  role: Role,
  config: Config,
): PolicyCase['tiers'] {
  const { perTool, defaultTier } = config.toolApproval;
  const own = Object.hasOwn(perTool, tool) ? perTool[tool] : undefined;
  return { perTool: own, role: tierOf(role, tool), tool: toolTier, defaultTier };
}

export type Judge = ReturnType<typeof createJudge>;

/** The approval that asks a person about a judged call. */
export function toApproval(
  call: JudgedCall,
  judged: Judgement,
  { session, turnId }: JudgeScope,
  rest: Pick<Approval, 'id' | 'createdAt' | 'expiresAt' | 'unattended'> & { preview: string | undefined },
): Approval {
  const { preview, ...stamps } = rest;
  return {
    ...stamps,
    sessionId: session.id,
    rootSessionId: session.rootSessionId,
    turnId,
    toolCallId: call.id,
    tool: call.tool,
    effect: call.effect,
    risk: judged.risk,
    input: call.input,
    inputHash: judged.inputHash,
    schemaHash: call.schemaHash,
    grantKey: judged.grantKey,
    ...(preview !== undefined && { preview }),
    rule: judged.rule,
    scopes: [...judged.scopes],
    state: 'pending',
    lineage: toLineage(session),
  };
}

/** The tool's own key; else its name for what reads or writes in the workspace, and the whole input for what acts. */
function toGrantKey(
  { tool, input, effect, external, ownKey }: JudgedCall,
  { sensitive, inWorkspace }: PathFacts,
): string {
  if (ownKey !== undefined) return `${tool} ${ownKey}`;
  const harmless = effect === 'read' || (effect === 'write' && inWorkspace);
  return harmless && !external && !sensitive ? tool : `${tool} ${toCanonical(input)}`;
}

function tierOf(role: Role, tool: string): Tier | undefined {
  const pattern = Object.keys(role.tools.tiers).find((each) => matches(each, tool));
  return pattern === undefined ? undefined : role.tools.tiers[pattern];
}
