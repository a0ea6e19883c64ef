// The doctor: looks at everything a yard needs and says of each what is so and how to mend it. Tries rather than looks
// for; changes nothing; a check that breaks is a finding, too.
import { type Finding, sentenceOf, warn } from './finding.ts';
import { checkConfig, checkHome, checkRoles, checkWorkspace } from './home-checks.ts';
import { checkClock, checkCommands, checkNode, checkProcesses } from './machine.ts';
import { checkClaude, checkModel, checkSettings, checkTranscripts } from './models.ts';
import type { DoctorProbes } from './probes.ts';
import { checkAddress, checkLease, checkProxy, checkServer, findServer } from './server.ts';
import {
  checkAudit,
  checkBackup,
  checkDatabase,
  checkDisk,
  checkLogs,
  checkRetention,
  checkSearch,
  type Inspection,
} from './storage.ts';

export async function diagnose(probes: DoctorProbes): Promise<Finding[]> {
  const server = await findServer(probes);
  const inspection: Inspection = await probes.inspectDatabase().then(
    (found) => ({ facts: found }),
    (thrown: unknown) => ({ thrown }),
  );
  const facts = 'facts' in inspection ? inspection.facts : undefined;
  const checks: [string, () => Finding | Finding[] | Promise<Finding | Finding[]>][] = [
    ['node', checkNode],
    ['clock', () => checkClock(probes, facts)],
    ['home', () => checkHome(probes)],
    ['config', () => checkConfig(probes)],
    ['roles', () => checkRoles(probes)],
    ['workspace', () => checkWorkspace(probes)],
    ['server', () => checkServer(probes, server)],
    ['address', () => checkAddress(probes, server)],
    ['proxy', () => checkProxy(probes, server)],
    ['lease', () => checkLease(facts, server)],
    ['database', () => checkDatabase(inspection)],
    ['audit', () => checkAudit(facts)],
    ['search', () => checkSearch(facts)],
    ['disk', () => checkDisk(probes, facts)],
    ['retention', () => checkRetention(probes, facts)],
    ['logs', () => checkLogs(probes)],
    ['backup', () => checkBackup(probes, facts)],
    ['processes', () => checkProcesses(probes)],
    ['commands', () => checkCommands(probes)],
    ['claude', () => checkClaude(probes)],
    ['settings', () => checkSettings(probes)],
    ['transcripts', () => checkTranscripts(probes)],
    ['model', () => checkModel(probes)],
  ];
  const findings: Finding[] = [];
  for (const [name, check] of checks) findings.push(...[await run(name, check)].flat());
  return findings;
}

async function run(
  name: string,
  check: () => Finding | Finding[] | Promise<Finding | Finding[]>,
): Promise<Finding | Finding[]> {
  try {
    return await check();
  } catch (thrown) {
    return warn(name, `check failed: ${sentenceOf(thrown)}`);
  }
}
