// What the tests and their server program share: the order, the family of processes to start, and the kind to use.
import { probeSandbox, type SandboxReport } from '../../src/sandbox/probe.ts';

export type Kind = Exclude<SandboxReport['kind'], 'failed'>;
export const kinds: Kind[] = ['namespace', 'group'];

export interface ServerOrder {
  home: string;
  workspace: string;
  kind: Kind;
  /** See `newNap`. */
  nap: string;
  /** How many families to start. */
  count: number;
  /** A program to use in place of bubblewrap. */
  bubblewrap?: string;
}

/** A machine that lacks bubblewrap fails these tests; it does not skip them. */
export async function reportOf(kind: Kind): Promise<SandboxReport> {
  if (kind === 'group') return { kind, reason: 'switched off for a test' };
  const report = await probeSandbox();
  if (report.kind === 'namespace') return report;
  throw new Error(
    `These tests need bubblewrap, and ${report.reason}. Install it: apt-get install -y bubblewrap`,
  );
}

/** A child, a grandchild and a daemon that left the session, each sleeping `nap`: three sleepers. */
export function familyScript(nap: string): string {
  const daemon = `sleep ${nap} </dev/null >/dev/null 2>&1 &`;
  return `sh -c 'sleep ${nap} & wait' & setsid sh -c '${daemon}'; exec sleep ${nap}`;
}
