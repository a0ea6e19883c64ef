// The transcripts of Claude Code on this machine: those that people made in a terminal beside those of our own engine.
// Reads files only, so that it works without the SDK; never writes one.
import type { TranscriptFinding, TranscriptLook, TranscriptStamp, Transcripts } from '@toolyard/sdk';
import { listFolders, type Problem, placeOf, projectsFolder, scan, toProblem } from './transcript-folders.ts';
import { readTranscript } from './transcript-read.ts';
import { summarize } from './transcript-summary.ts';
import { watchFolders } from './transcript-watch.ts';

/** `env` says where: `CLAUDE_CONFIG_DIR`, or `.claude` in `HOME`. Without either there are none. */
export function createClaudeTranscripts(env: NodeJS.ProcessEnv): Transcripts {
  const projects = projectsFolder(env);
  return {
    list: (options) => listTranscripts(projects, options),
    read: readTranscript,
    placeOf: (cwd, token) => projects && placeOf(projects, cwd, token),
    watch: async (onChange, signal) =>
      projects === undefined || (await watchFolders(projects, onChange, signal)),
  };
}

async function* listTranscripts(
  projects: string | undefined,
  { places, isKnown, signal }: TranscriptLook,
): AsyncGenerator<TranscriptFinding> {
  const problems: Problem[] = [];
  const folders = places ?? (projects ? await listFolders(projects, problems) : []);
  const found = await scan(folders, signal);
  yield* problems;
  yield* found.problems;
  yield* found.missing.map((path) => ({ kind: 'gone' as const, path }));
  for (const stamp of found.stamps) {
    if (signal.aborted) return;
    if (isKnown(stamp)) yield { kind: 'known', stamp };
    else yield* inspectTranscript(stamp);
  }
}

async function* inspectTranscript(stamp: TranscriptStamp): AsyncGenerator<TranscriptFinding> {
  try {
    yield { ...(await summarize(stamp)), stamp };
  } catch (thrown) {
    yield toProblem(stamp.path, thrown);
  }
}

/** For a person whose sessions do not show: where they are looked for, how many there are, what cannot be read. */
export async function probeTranscripts(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ path?: string; count: number; problems: Problem[] }> {
  const path = projectsFolder(env);
  if (path === undefined) return { count: 0, problems: [] };
  const problems: Problem[] = [];
  const found = await scan(await listFolders(path, problems), signal);
  return { path, count: found.stamps.length, problems: [...problems, ...found.problems] };
}
