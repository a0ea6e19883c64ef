// What the files that a call touches mean for it, all together.
import type { Session, TouchedPath } from '@toolyard/sdk';
import { judgePath } from './protected-paths.ts';

/** What the files that a call touches mean for it. */
export interface PathFacts {
  /** The rule that forbids one of them in every mode. */
  forbidden?: string;
  /** The rule by which a person should know of it. */
  sensitive?: string;
  /** All are in the session's workspace. */
  inWorkspace: boolean;
}

export interface PathFactsDeps {
  /** The home of this installation, which no agent may touch. */
  home: string;
  /** The person's home directory. */
  userHome: string;
  /** Directories beside the workspace that count as its own. */
  roots: readonly string[];
}

export function createPathFacts({ home, userHome, roots }: PathFactsDeps) {
  return async (paths: readonly TouchedPath[], { cwd, workspace }: Session): Promise<PathFacts> => {
    const context = { cwd, workspace, home, userHome, roots };
    const verdicts = await Promise.all(
      paths.map(async (touched) => ({ touched, verdict: await judgePath(touched, context) })),
    );
    let sensitive: string | undefined;
    for (const { touched, verdict } of verdicts) {
      if (verdict.kind === 'denied') return { forbidden: verdict.rule, inWorkspace: false };
      if (verdict.kind === 'ask') sensitive ??= verdict.rule;
      if (verdict.kind === 'outside' && touched.access === 'read')
        sensitive ??= 'reads outside the workspace';
    }
    const inWorkspace = verdicts.every(({ verdict }) => verdict.kind === 'inside');
    return { inWorkspace, ...(sensitive && { sensitive }) };
  };
}
