// What the policy must know about one call: the files it touches, the grant that covers it, the session's mode now and
// what each voice says about asking. The same for host tools and an engine's own.
import { relative } from 'node:path';
import type { Config, PermissionMode, Role, Session, StoreReads, Tier, TouchedPath } from '@toolyard/sdk';
import { matches } from '../access/access.ts';
import { stricterMode } from '../config/narrow.ts';
import { toCanonical } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/ports.ts';
import type { PathFacts } from '../protected-paths/path-facts.ts';
import type { Target } from './offered-tools.ts';
import type { PolicyCase } from './policy.ts';

/** A call whose tool was found and whose input is valid. */
export interface ReadyCall {
  target: Target;
  /** Parsed, and narrowed by hooks. */
  input: unknown;
}

export interface CallFacts extends PolicyCase {
  /** What a grant for this call would cover. */
  grantKey: string;
}

export interface CallFactsDeps {
  reads: StoreReads;
  clock: Clock;
  judgePaths(paths: readonly TouchedPath[], session: Session): Promise<PathFacts>;
}

export type GatherFacts = (
  call: ReadyCall,
  scope: { session: Session; role: Role; config: Config },
) => Promise<CallFacts>;

const noPaths: PathFacts = { inWorkspace: false };

export function createCallFacts({ reads, clock, judgePaths }: CallFactsDeps): GatherFacts {
  return async (call, { session, role, config }) => {
    const { name, effect, external, schemaHash } = call.target;
    const paths = call.target.paths(call.input);
    const touched = paths.length > 0 ? await judgePaths(paths, session) : noPaths;
    const grantKey = toGrantKey(call, touched, session);
    const grant = await reads.grantFor({
      tool: name,
      key: grantKey,
      schemaHash,
      sessionId: session.id,
      role: role.name,
      workspace: session.workspace,
      at: new Date(clock.now()).toISOString(),
    });
    return {
      ...touched,
      mode: await readMode(reads, session),
      effect,
      external,
      tiers: toTiers(call.target, role, config),
      grant: grant && { id: grant.id, scope: grant.scope },
      grantKey,
    };
  };
}

/** As it is now: a person may have switched it since the turn began. */
async function readMode(
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
  { name, tier }: Pick<Target, 'name' | 'tier'>,
  role: Role,
  config: Config,
): PolicyCase['tiers'] {
  const { perTool, defaultTier } = config.toolApproval;
  const own = Object.hasOwn(perTool, name) ? perTool[name] : undefined;
  return { perTool: own, role: findRoleTier(role, name), tool: tier, defaultTier };
}

function findRoleTier(role: Role, tool: string): Tier | undefined {
  const pattern = Object.keys(role.tools.tiers).find((each) => matches(each, tool));
  return pattern === undefined ? undefined : role.tools.tiers[pattern];
}

/** The tool's own key; else its name for what reads or writes in the workspace, and the whole input for what acts. */
function toGrantKey(
  { target, input }: ReadyCall,
  { sensitive, inWorkspace }: PathFacts,
  { cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>,
): string {
  const { name, effect, external } = target;
  // The same command is another one in another directory. The comma keeps the two apart: a tool's own key is any text.
  const inside = effect === 'execute' && !external ? relative(workspace, cwd) : '';
  const where = inside === '' ? name : `${name}, in ${JSON.stringify(inside)}:`;
  const ownKey = target.ownKey(input);
  if (ownKey !== undefined) return `${where} ${ownKey}`;
  const harmless = effect === 'read' || (effect === 'write' && inWorkspace);
  return harmless && !external && !sensitive ? name : `${where} ${toCanonical(input)}`;
}
