// Where the CLI keeps its transcripts: `projects/<directory, encoded>/<session>.jsonl` below its configuration. Only
// names and sizes are looked at here.
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TranscriptFinding, TranscriptStamp } from '@toolyard/sdk';

/** Longer encoded names are cut, and made unique by an ending. */
const maxNameLength = 200;
const statConcurrency = 32;
const fileName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Nothing when the environment names no home. */
export function projectsFolder(env: NodeJS.ProcessEnv): string | undefined {
  const config = env.CLAUDE_CONFIG_DIR?.trim() || (env.HOME && join(env.HOME, '.claude'));
  return config ? join(config, 'projects') : undefined;
}

/** The folder of a directory's transcripts, made yet or not, or the file of one of them. */
export function placeOf(projects: string, cwd: string, token?: string): string {
  const name = cwd.normalize('NFC').replace(/[^a-zA-Z0-9]/g, '-');
  // The ending cannot be told from the directory alone, so the folder is known by its beginning.
  if (name.length > maxNameLength) return join(projects, `${name.slice(0, maxNameLength)}-*`);
  return token === undefined ? join(projects, name) : join(projects, name, `${token}.jsonl`);
}

export type Problem = Extract<TranscriptFinding, { kind: 'problem' }>;

export interface Scan {
  stamps: TranscriptStamp[];
  problems: Problem[];
  missing: string[];
}

/** Everything in these places, the one changed last first. */
export async function scan(places: readonly string[], signal: AbortSignal): Promise<Scan> {
  const found: Scan = { stamps: [], problems: [], missing: [] };
  const paths = new Set<string>();
  for (const place of places) {
    if (signal.aborted) break;
    if (fileName.test(basename(place))) paths.add(place);
    else for (const path of await listFiles(place, found.problems)) paths.add(path);
  }
  const all = [...paths];
  for (let start = 0; start < all.length && !signal.aborted; start += statConcurrency) {
    await Promise.all(all.slice(start, start + statConcurrency).map((path) => statFile(path, found)));
  }
  found.stamps.sort((a, b) => b.modifiedAt - a.modifiedAt);
  return found;
}

/** The folders of all directories, or nothing when there are none. */
export async function listFolders(projects: string, problems: Problem[]): Promise<string[]> {
  const entries = await list(projects, problems);
  // A link may lead to a folder.
  const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.map(({ name }) => join(projects, name));
}

async function listFiles(folder: string, problems: Problem[]): Promise<string[]> {
  if (basename(folder).endsWith('-*')) return listLongFolders(folder, problems);
  const entries = await list(folder, problems);
  return entries.filter(({ name }) => fileName.test(name)).map(({ name }) => join(folder, name));
}

async function listLongFolders(pattern: string, problems: Problem[]): Promise<string[]> {
  const beginning = pattern.slice(0, -1);
  const folders = (await listFolders(dirname(pattern), problems)).filter((path) =>
    path.startsWith(beginning),
  );
  return (await Promise.all(folders.map((folder) => listFiles(folder, problems)))).flat();
}

async function list(folder: string, problems: Problem[]): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    // What is not there holds nothing.
    if (codeOf(thrown) !== 'ENOENT') problems.push(toProblem(folder, thrown));
    return [];
  }
}

async function statFile(path: string, found: Scan): Promise<void> {
  try {
    const stats = await lstat(path);
    const token = fileName.exec(basename(path))?.[1];
    // Opening anything but a file might never end.
    if (!stats.isFile() || !token) return;
    found.stamps.push({ token, path, size: stats.size, modifiedAt: stats.mtimeMs });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') found.missing.push(path);
    else found.problems.push(toProblem(path, thrown));
  }
}

export function toProblem(path: string, thrown: unknown): Problem {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: 'problem', path, code: codeOf(thrown) ?? 'unknown', message };
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
