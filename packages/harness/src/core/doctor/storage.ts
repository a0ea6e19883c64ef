// What is kept: the database and its evidence, the index for search, the disk, the log and backups.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { parseLogLevel } from '../operator-log/log-level.ts';
import { findFreeBytes, measure, measureHome } from '../retention/disk-use.ts';
import { readRetentionFile, type SweepReport } from '../retention/retention-report.ts';
import { countOf, type Finding, fail, ok, sentenceOf, toSize, warn } from './finding.ts';
import type { DatabaseFacts, DoctorProbes } from './probes.ts';

const megabyte = 1024 * 1024;
const dayMs = 86_400_000;
const oldBackupDays = 30;
const muchFree = 64 * megabyte;
const littleRoom = 1024 * megabyte;
const noRoom = 64 * megabyte;

/** What was found, or what is wrong. */
export type Inspection = { facts: DatabaseFacts | undefined } | { thrown: unknown };

export function checkDatabase(inspection: Inspection): Finding {
  const name = 'database';
  if ('thrown' in inspection) {
    const { thrown } = inspection;
    // A newer one is sound, and its message says what to do.
    const isNewer = thrown instanceof ToolyardError && thrown.code === 'schema_newer';
    return fail(name, sentenceOf(thrown), isNewer ? undefined : 'Restore a backup, or move the file away.');
  }
  const { facts } = inspection;
  if (!facts) return ok(name, 'none yet; the first start creates it');
  const { schema, size, sessions } = facts;
  const older = schema.found < schema.known ? `; the next start upgrades it to ${schema.known}` : '';
  return ok(
    name,
    `sound, schema ${schema.found}${older}, ${countOf(sessions, 'session')}, ${toSize(size.usedBytes)}`,
  );
}

export function checkAudit(facts: DatabaseFacts | undefined): Finding {
  const name = 'audit';
  if (!facts) return ok(name, 'nothing to check');
  const { ok: isWhole, rows, brokenAt } = facts.audit;
  if (isWhole) return ok(name, `${countOf(rows, 'row')}, each linked to the previous one`);
  const fix = 'The audit was changed: keep a copy of the home, then restore a backup.';
  return fail(name, `the audit is broken at row ${brokenAt} of ${rows}`, fix);
}

export function checkSearch(facts: DatabaseFacts | undefined): Finding[] {
  if (!facts?.search) return [];
  const { indexed, last, titles } = facts.search;
  if (titles && indexed >= last) return [ok('search', 'everything is indexed')];
  const share = last === 0 ? 100 : Math.floor((100 * indexed) / last);
  return [
    ok('search', `${share} % of the older sessions are indexed; the rest follows while the server runs`),
  ];
}

/** The person's, or the defaults where the file is broken, which is a finding of its own. */
async function readRetention({ readConfig }: DoctorProbes): Promise<Config['retention']> {
  return readConfig().then(
    ({ config }) => config.retention,
    () => Config.parse({}).retention,
  );
}

export async function checkDisk(probes: DoctorProbes, facts: DatabaseFacts | undefined): Promise<Finding> {
  const name = 'disk';
  const { home } = probes;
  const { maxMb } = await readRetention(probes);
  const use = await measureHome(home);
  const rows = facts?.size.usedBytes ?? use.database;
  const kept = (await readRetentionFile(home))?.last.keptBytes ?? 0;
  const used = Math.max(0, rows + use.outputs + use.logs + use.traces - kept);
  const parts = Object.entries({ ...use, database: rows }).filter(([, bytes]) => bytes > 0);
  const details = parts.map(([part, bytes]) => `${part} ${toSize(bytes)}`).join(', ');
  const free = await findFreeBytes(home);
  const left = free === undefined ? '' : `; ${toSize(free)} free on the disk`;
  const message = `${toSize(used)} of ${toSize(maxMb * megabyte)} for sessions${details && `; home: ${details}`}${left}`;
  if (free !== undefined && free < noRoom) {
    return fail(name, message, 'Free some space: until then nothing new can be stored.');
  }
  if (free !== undefined && free < littleRoom) return warn(name, message, 'Free some space soon.');
  if (used > 0.9 * maxMb * megabyte) {
    return warn(name, message, 'Raise retention.maxMb, or the least recently used sessions are deleted.');
  }
  return ok(name, message);
}

export async function checkRetention(
  probes: DoctorProbes,
  facts: DatabaseFacts | undefined,
): Promise<Finding> {
  const name = 'retention';
  const { days, maxMb } = await readRetention(probes);
  const file = await readRetentionFile(probes.home);
  const done = file ? toDone(file.lastRemoval ?? file.last) : 'nothing removed yet';
  const message = `${countOf(days, 'day')} or ${toSize(maxMb * megabyte)}; ${done}`;
  if (file?.last.overCap) {
    const fix =
      'Raise retention.maxMb, or delete sessions yourself: most are in use, were used within the last hour, or were created outside Toolyard.';
    return warn(name, `${message}; still ${toSize(file.last.usedBytes)}, above the limit`, fix);
  }
  const kept = file?.last.keptBytes ?? 0;
  if (kept > maxMb * megabyte) {
    const fix = 'These are never deleted. Raise retention.maxMb above that.';
    return warn(name, `${message}; the audit, usage, tasks and logs alone take ${toSize(kept)}`, fix);
  }
  if (facts && !facts.canShrink && facts.size.freeBytes > muchFree) {
    const fix = 'See docs/operations.md: rewrite a database of an older Toolyard once by hand.';
    return warn(
      name,
      `${message}; ${toSize(facts.size.freeBytes)} of the database are free and cannot shrink`,
      fix,
    );
  }
  return ok(name, message);
}

function toDone({ at, removed }: SweepReport): string {
  const parts = Object.entries(removed).filter(([, count]) => count > 0);
  const what = parts.map(([part, count]) => countOf(count, part.replace(/s$/, ''))).join(', ');
  return what ? `at ${at} it removed ${what}` : `last checked ${at}, nothing was too old`;
}

export async function checkLogs({ home, env }: DoctorProbes): Promise<Finding> {
  const name = 'logs';
  const folder = join(home, 'logs');
  try {
    const level = parseLogLevel(env) ?? 'info';
    return ok(name, `${level} and above in ${folder}, ${toSize(await measure(folder))}`);
  } catch (thrown) {
    return fail(name, sentenceOf(thrown), 'Set TOOLYARD_LOG to one of these, or unset it.');
  }
}

export async function checkBackup(
  { home, now }: DoctorProbes,
  facts: DatabaseFacts | undefined,
): Promise<Finding> {
  const name = 'backup';
  const newest = await findNewest(join(home, 'backups'));
  const how = '`toolyard backup` makes one while the server runs.';
  if (newest === undefined) {
    if (!facts || facts.sessions === 0) return ok(name, 'none, and nothing to back up yet');
    return warn(name, 'none yet', how);
  }
  const days = Math.floor((now - newest) / dayMs);
  const message = `the newest is of ${new Date(newest).toISOString()}`;
  return days > oldBackupDays ? warn(name, `${message}, ${days} days old`, how) : ok(name, message);
}

/** When the newest whole backup was written. */
async function findNewest(folder: string): Promise<number | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tar.gz'));
  const times = await Promise.all(
    names.map(async (name) => (await lstat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0),
  );
  return times.length > 0 ? Math.max(...times) : undefined;
}
