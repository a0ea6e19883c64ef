// What worktrees need of git: the port, and one repository's git with every program switched off that the repository
// itself names. Throws `worktree_failed` with git's own words where a command must succeed.
import { basename, dirname } from 'node:path';
import { ToolyardError, toVisibleLine } from '@toolyard/sdk';

export interface GitResult {
  stdout: string;
  stderr: string;
  code: number;
}

export interface GitRun {
  signal?: AbortSignal | undefined;
  /** It may take minutes, and must not outlive the server. */
  isLong?: boolean;
  /** An answer that is longer is a failure. */
  maxBytes?: number;
  /** Folders that it may write to; none by default. */
  writable?: readonly string[];
}

export interface Git {
  /**
   * Runs git with no shell, hook, prompt or network. A failure of git is a result, also when it took too long; rejects
   * when there is no git, and with the signal's reason.
   */
  run(args: readonly string[], cwd: string, options?: GitRun): Promise<GitResult>;
}

/** The git of one repository, by its directory: what stands in a working tree has no say in which one it is. */
export interface RepositoryGit {
  run(args: readonly string[], where?: Where): Promise<GitResult>;
  /** What it says, without the line's end. `what` completes "git could not …". */
  runChecked(what: string, args: readonly string[], where?: Where): Promise<string>;
}

export interface Where extends GitRun {
  cwd?: string;
  workTree?: string;
}

const maxErrorLength = 300;

export function gitFailed(what: string, { stderr, code }: GitResult, hint = ''): ToolyardError {
  const lines = stderr.trim().split('\n');
  const last = lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? '';
  const words = toVisibleLine(last).slice(0, maxErrorLength) || `it exited with code ${code}`;
  return new ToolyardError('worktree_failed', `git could not ${what}: ${words}.${hint}`);
}

/** Without the end of its line, which a path may hold, too. */
export function toLine(stdout: string): string {
  return stdout.replace(/\n$/, '');
}

/** A repository's directory; of a linked worktree it is the one below `worktrees`, and what is configured there counts. */
export async function openRepositoryGit(
  git: Git,
  gitDir: string,
  signal?: AbortSignal,
): Promise<RepositoryGit> {
  const listed = await git.run(
    [`--git-dir=${gitDir}`, 'config', '--list', '--includes', '--show-scope', '-z'],
    ...[gitDir, { signal }],
  );
  if (listed.code !== 0) throw gitFailed('read the repository’s configuration', listed);
  const filters = toFilterSettings(listed.stdout);
  const common = basename(dirname(gitDir)) === 'worktrees' ? dirname(dirname(gitDir)) : gitDir;
  const run: RepositoryGit['run'] = (args, { cwd = gitDir, workTree, ...options } = {}) => {
    const places = [`--git-dir=${gitDir}`, ...(workTree === undefined ? [] : [`--work-tree=${workTree}`])];
    const writable = [common, cwd, ...(workTree === undefined ? [] : [workTree])];
    return git.run([...filters, ...places, ...args], cwd, { signal, writable, ...options });
  };
  return {
    run,
    async runChecked(what, args, where) {
      const result = await run(args, where);
      if (result.code !== 0) throw gitFailed(what, result);
      return toLine(result.stdout);
    },
  };
}

const filterKey = /^filter\.[\s\S]*\.(?:clean|smudge|process|required)$/i;

/**
 * Filters run a program for each file. One that the repository defines is replaced by what the person's own
 * configuration says of it, and by nothing when it says nothing. Takes `scope NUL key LF value NUL` over and over.
 */
function toFilterSettings(listed: string): string[] {
  const words = listed.split('\0');
  const ofPerson = new Map<string, string>();
  const ofRepository = new Set<string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ''] = [words[at], words[at + 1]];
    const end = entry.includes('\n') ? entry.indexOf('\n') : entry.length;
    const key = entry.slice(0, end);
    if (!filterKey.test(key)) continue;
    if (scope === 'global' || scope === 'system') ofPerson.set(key, entry.slice(end + 1));
    else ofRepository.add(key);
  }
  return [...ofRepository].flatMap((key) => {
    // On the command line a setting ends at the first "=": this one could not be switched off.
    if (key.includes('=')) throw new ToolyardError('worktree_failed', strangeFilter);
    const otherwise = key.toLowerCase().endsWith('.required') ? 'false' : '';
    return ['-c', `${key}=${ofPerson.get(key) ?? otherwise}`];
  });
}

const strangeFilter =
  'The repository’s configuration has a filter with "=" in its name, which cannot be disabled. Remove it, or draft the agent without isolation.';
