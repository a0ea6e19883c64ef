// What must hold of the machine itself: its Node, its clock, how it lets us own processes.
import { type Finding, fail, ok, sentenceOf, warn } from './finding.ts';
import type { DatabaseFacts, DoctorProbes } from './probes.ts';

/** No clock that is right is before the day this was written. */
const earliestClock = Date.parse('2026-11-01');
const maxClockSkewMs = 5 * 60_000;

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > 24 || (major === 24 && minor >= 11);
  const message = `Node ${process.versions.node}`;
  return isNew ? ok('node', message) : fail('node', message, 'Use Node 24.11 or newer.');
}

/** A clock that goes wrong makes grants expire, approvals lapse and retention delete at the wrong time. */
export function checkClock({ now }: DoctorProbes, facts: DatabaseFacts | undefined): Finding {
  const shown = new Date(now).toISOString();
  const fix = 'Set the clock of this machine, and enable NTP.';
  if (now < earliestClock) return fail('clock', `the clock says ${shown}, which is far in the past`, fix);
  const newest = Math.max(Date.parse(facts?.newestAt ?? '') || 0, facts?.owner?.beatAt ?? 0);
  if (newest > now + maxClockSkewMs) {
    const when = new Date(newest).toISOString();
    return warn('clock', `the clock says ${shown}, but the database was written at ${when}`, fix);
  }
  return ok('clock', shown);
}

/** By trying, on this very computer: see docs/security.md. */
export async function checkCommands({
  probeSandbox,
  proveConfinement,
  attempts,
  readConfig,
}: DoctorProbes): Promise<Finding[]> {
  // What keeps all processes from running is said of those.
  if ((await probeSandbox()).kind !== 'namespace') return [];
  const { config } = await readConfig();
  if (config.workspace.security === 'full-control') {
    const message = 'workspace.security is full-control: commands reach whatever you can';
    return [warn('commands', message, 'Set `workspace.security: limited-control` to confine them.')];
  }
  try {
    const succeeded = await proveConfinement();
    if (succeeded.length === 0) return [ok('commands', `confined: ${attempts} attempts to get out failed`)];
    return [
      fail('commands', `a command could ${succeeded.join(', ')}`, 'Run no agents here, and report it.'),
    ];
  } catch (thrown) {
    return [fail('commands', `no command can be run: ${sentenceOf(thrown)}`, 'See docs/security.md.')];
  }
}

const fullControl = 'set `workspace.security: full-control` in config.yaml to do without confinement';

export async function checkProcesses({ probeSandbox, readConfig }: DoctorProbes): Promise<Finding> {
  const { kind, reason } = await probeSandbox();
  if (kind === 'namespace') {
    return ok('processes', 'each process runs in its own namespace and dies with the server');
  }
  const isFullControl = await readConfig().then(
    ({ config }) => config.workspace.security === 'full-control',
    () => false,
  );
  if (isFullControl) {
    const message = `${reason}, and workspace.security is full-control: agents run commands that nothing confines. They can read and change all that you can`;
    return warn('processes', message, 'Confine them: see docs/processes.md.');
  }
  if (kind === 'failed') {
    const message = `${reason}: Claude Code, git and commands cannot run, because nothing would confine them`;
    return fail(
      'processes',
      message,
      `Let your user make namespaces (docs/processes.md), or ${fullControl}.`,
    );
  }
  const message = `${reason}: agents cannot run commands, because nothing would confine them`;
  const first = process.platform === 'linux' ? 'Install bubblewrap, or' : 'Work without commands, or';
  return warn('processes', message, `${first} ${fullControl}.`);
}
