// A child never gets more than its parent: its directory, its mode, its tools.
import { resolve } from 'node:path';
import {
  type Config,
  type DispatchRow,
  type Role,
  type RoleCeiling,
  type Session,
  ToolyardError,
} from '@toolyard/sdk';
import { toCeiling } from '../agent-records/agent-records.ts';
import { stricterMode } from '../config/narrow.ts';
import { isInOneOf, requireDirectory } from '../workspace/workspaces.ts';

/** In the workspace of whoever drafts, or in a directory that counts as that, links followed. */
export function toChildCwd(
  wanted: string | undefined,
  { session, config }: { session: Session; config: Config },
): string {
  if (wanted === undefined) return session.cwd;
  const cwd = requireDirectory(resolve(session.cwd, wanted));
  if (isInOneOf(cwd, [session.workspace, ...config.workspace.roots])) return cwd;
  const message = `cwd: ${JSON.stringify(wanted)} is outside the workspace ${session.workspace}. Use a directory inside it.`;
  throw new ToolyardError('invalid_request', message);
}

/** Its role may ask for another mode, but not for a laxer one. */
export function toChildMode(parent: Session, role: Role): Session['mode'] {
  return stricterMode(parent.mode, role.mode ?? parent.mode);
}

/** The roles of all above, and where they work: a tool that one of them lacks, nobody under it has. */
export function toChildCeiling(
  role: Role,
  { workspace }: Session,
  parent: DispatchRow | undefined,
): RoleCeiling[] {
  return [...(parent?.ceiling ?? []), toCeiling(role, workspace)];
}
