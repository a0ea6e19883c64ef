// Settings of Claude Code that others have written and that no command line overrules. Each that could run something,
// allow something or send something elsewhere is named by its file and key. Only reads.
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { toConfigFolder } from '../transcripts/transcript-file.ts';

/** Where an administrator puts settings for every user of the computer. */
export const managedFolder =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

export interface OutsideSetting {
  file: string;
  /** Dotted; absent when the file cannot be judged. */
  key?: string;
  problem?: string;
  isManaged: boolean;
}

/** Of an administrator's: those that narrow, or only change what a person reads. Every other one counts. */
const harmless = new Set([
  ...['$schema', 'model', 'availableModels', 'deniedModels', 'language', 'theme', 'companyAnnouncements'],
  ...['attribution', 'includeCoAuthoredBy', 'cleanupPeriodDays', 'spinnerTipsEnabled', 'autoUpdatesChannel'],
  ...[
    'forceLoginMethod',
    'forceLoginOrgUUID',
    'allowManagedPermissionRulesOnly',
    'disableBypassPermissionsMode',
  ],
  ...['permissions.deny', 'permissions.ask', 'permissions.disableBypassPermissionsMode'],
]);

/** Of the CLI's notes about a person, which hold hundreds of other keys: those that it obeys. */
const obeyed = new Set([
  'env',
  'hooks',
  'permissions',
  'apiKeyHelper',
  'proxyAuthHelper',
  'otelHeadersHelper',
]);

/** The keys that are taken apart, to name what is in them. */
const groups = new Set(['env', 'permissions']);

/** Larger ones are not read: the CLI's notes about a person have a few megabytes at most. */
const maxBytes = 64 * 1_048_576;

export async function findManagedSettings(folder: string): Promise<OutsideSetting[]> {
  const parts = join(folder, 'managed-settings.d');
  const names = await readdir(parts).catch(() => []);
  const files = [
    join(folder, 'managed-settings.json'),
    ...names.filter((name) => name.endsWith('.json')).map((name) => join(parts, name)),
  ];
  const found = await Promise.all(files.map((file) => findKeys(file, (key) => !harmless.has(key))));
  return found.flat().map((each) => ({ ...each, isManaged: true }));
}

export async function findPersonalSettings(env: NodeJS.ProcessEnv): Promise<OutsideSetting[]> {
  const folder = toConfigFolder(env);
  const files = [
    join(env.CLAUDE_CONFIG_DIR || env.HOME || homedir(), '.claude.json'),
    join(folder, '.config.json'),
    // What it was last sent by an organization.
    join(folder, 'remote-settings.json'),
  ];
  const isObeyed = (key: string) => obeyed.has(key.split('.')[0] ?? '');
  const found = await Promise.all(files.map((file) => findKeys(file, isObeyed)));
  return found.flat().map((each) => ({ ...each, isManaged: false }));
}

async function findKeys(
  file: string,
  counts: (key: string) => boolean,
): Promise<Omit<OutsideSetting, 'isManaged'>[]> {
  try {
    const text = await read(file);
    if (!text?.trim()) return [];
    const settings: unknown = JSON.parse(text);
    return toKeys(settings)
      .filter(counts)
      .map((key) => ({ file, key }));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ file, problem: `cannot be checked (${why})` }];
  }
}

function toKeys(settings: unknown): string[] {
  return Object.entries(toFields(settings)).flatMap(([key, value]) => {
    const inner = groups.has(key) ? Object.keys(toFields(value)) : [];
    return inner.length > 0 ? inner.map((name) => `${key}.${name}`) : [key];
  });
}

function toFields(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Nothing when it is not there. A person may keep it elsewhere, behind a link. */
async function read(path: string): Promise<string | undefined> {
  try {
    await using file = await openRegularFile(path, { followLinks: true });
    if ((await file.stat()).size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await file.readFile('utf8');
  } catch (thrown) {
    const isMissing =
      thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');
    if (isMissing) return undefined;
    throw thrown;
  }
}
