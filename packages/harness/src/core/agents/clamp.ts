// A child never gets more than its parent: its directory, its mode, its tools.
import { isAbsolute, relative, resolve } from 'node:path';
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
import { toRealPath } from '../files/real-path.ts';
import { requireDirectory } from '../workspace/workspaces.ts';

/** In the workspace of whoever drafts, or in a directory that counts as that, links followed. */
export async function toChildCwd(
  wanted: string | undefined,
  { session, config }: { session: Session; config: Config },
): Promise<string> {
  if (wanted === undefined) return session.cwd;
  const cwd = requireDirectory(resolve(session.cwd, wanted));
  const real = await toRealPath(cwd);
  const roots = await Promise.all([session.workspace, ...config.workspace.roots].map(toRealPath));
  if (real !== undefined && roots.some((root) => root !== undefined && isInside(root, real))) return real;
  const message = `cwd: ${JSON.stringify(wanted)} is outside the workspace ${session.workspace}. Use a directory inside it.`;
  throw new ToolyardError('invalid_request', message);
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** Its role may ask for another mode, but not for a laxer one. */
export function toChildMode(parent: Session, role: Role): Session['mode'] {
  return stricterMode(parent.mode, role.mode ?? parent.mode);
}

/** The roles of all above: a tool that one of them lacks, nobody under it has. */
export function toChildCeiling(role: Role, parent: DispatchRow | undefined): RoleCeiling[] {
  return [...(parent?.ceiling ?? []), toCeiling(role)];
}
