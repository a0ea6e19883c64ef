// Who calls at /mcp, as which role and where. An agent's token settles all of that; a person may choose in the address.
import { type Actor, ToolyardError } from '@toolyard/sdk';
import { type Principal, toActor } from '../core/identity/principals.ts';
import { requireDirectory } from '../core/workspace/workspaces.ts';

export interface Caller {
  actor: Actor;
  /** Nothing: the default of the workspace. */
  role: string | undefined;
  cwd: string;
}

export function toCaller({ url }: Request, principal: Principal, defaultCwd: string): Caller {
  const { searchParams } = new URL(url);
  const actor = toActor(principal, 'mcp');
  const role = searchParams.get('role') ?? undefined;
  if (principal.kind === 'agent') return { actor, role: requireOwn(principal.role, role), cwd: defaultCwd };
  return { actor, role, cwd: requireDirectory(searchParams.get('cwd') ?? defaultCwd) };
}

/** Equal for requests of one caller, so that nobody can use what another one opened. */
export function toKey({ actor, role, cwd }: Caller): string {
  return JSON.stringify([actor.kind, actor.id, role, cwd]);
}

function requireOwn(own: string, wanted: string | undefined): string {
  if (wanted === undefined || wanted === own) return own;
  throw new ToolyardError('person_only', `This token is bound to the role ${own}. Omit ?role=.`);
}
