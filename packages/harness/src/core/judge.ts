// Gathers what the policy must know about one call and asks it. For host tools and an engine's own alike.
import type { Approval, Config, Effect, Lineage, Role, Session, StoreReads, Tier } from '@toolyard/sdk';
import { matches } from './access.ts';
import { toCanonical, toHash } from './canonical.ts';
import { type Decision, decide, toRisk } from './policy.ts';

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
}

export interface JudgeScope {
  session: Session;
  role: Role;
  /** In force in the session's workspace. */
  config: Config;
  turnId: string;
}

export interface Judgement extends Decision {
  grantId: string | undefined;
  grantKey: string;
  inputHash: string;
}

export function createJudge({ now }: { now: () => string }) {
  return async (
    reads: StoreReads,
    call: JudgedCall,
    { session, role, config }: JudgeScope,
  ): Promise<Judgement> => {
    const grantKey = toGrantKey(call);
    const found = await reads.grantFor({
      tool: call.tool,
      key: grantKey,
      schemaHash: call.schemaHash,
      sessionId: session.id,
      role: role.name,
      workspace: session.workspace,
      at: now(),
    });
    const { perTool, defaultTier } = config.toolApproval;
    const decision = decide({
      mode: session.mode,
      effect: call.effect,
      inWorkspace: false,
      external: call.external,
      tiers: {
        perTool: Object.hasOwn(perTool, call.tool) ? perTool[call.tool] : undefined,
        role: tierOf(role, call.tool),
        tool: call.toolTier,
        defaultTier,
      },
      grant: found && { id: found.id, scope: found.scope },
    });
    const used =
      decision.verdict === 'allow' && found && decision.rule.includes(found.id) ? found.id : undefined;
    return { ...decision, grantId: used, grantKey, inputHash: toHash(call.input) };
  };
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
    risk: toRisk({ effect: call.effect, external: call.external, inWorkspace: false }),
    input: call.input,
    inputHash: judged.inputHash,
    schemaHash: call.schemaHash,
    grantKey: judged.grantKey,
    ...(preview !== undefined && { preview }),
    rule: judged.rule,
    state: 'pending',
    lineage: toLineage(session),
  };
}

export function toLineage({ rootSessionId, parentAgentId }: Session): Lineage {
  return { rootSessionId, ...(parentAgentId && { parentAgentId }), depth: 0 };
}

/** The tool's own key; else its name for what only reads, and the whole input for what acts. */
function toGrantKey({ tool, input, effect, external, ownKey }: JudgedCall): string {
  if (ownKey !== undefined) return `${tool} ${ownKey}`;
  return effect === 'read' && !external ? tool : `${tool} ${toCanonical(input)}`;
}

function tierOf(role: Role, tool: string): Tier | undefined {
  const pattern = Object.keys(role.tools.tiers).find((each) => matches(each, tool));
  return pattern === undefined ? undefined : role.tools.tiers[pattern];
}
