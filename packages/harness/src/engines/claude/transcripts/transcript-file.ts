// The CLI's own transcript of one session, as far as going on after a crash needs it: which messages and results it holds.
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { readLines } from './transcript-lines.ts';

export interface TranscriptFacts {
  /** Ids of its entries. */
  uuids: ReadonlySet<string>;
  /** The results in it, by call. */
  results: ReadonlyMap<string, { isError: boolean; text: string }>;
}

export function toConfigFolder(env: NodeJS.ProcessEnv): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude');
}

/** The file of a session, if the CLI has written one. */
export async function findTranscript(configFolder: string, token: string): Promise<string | undefined> {
  const projects = join(configFolder, 'projects');
  for (const project of await readdir(projects).catch(() => [])) {
    const path = join(projects, project, `${token}.jsonl`);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) return path;
  }
  return undefined;
}

/** Lines that are torn or too long hold nothing that could be gone on with. */
export async function readTranscriptFacts(path: string): Promise<TranscriptFacts> {
  const uuids = new Set<string>();
  const results = new Map<string, { isError: boolean; text: string }>();
  await using file = await openRegularFile(path);
  const range = { from: 0, to: (await file.stat()).size, signal: new AbortController().signal };
  for await (const { lines } of readLines(file, range)) {
    for (const { text: line } of lines) {
      const entry = Entry.safeParse(toJson(line ?? '')).data;
      if (entry?.uuid) uuids.add(entry.uuid);
      const content = entry?.message?.content;
      for (const block of Array.isArray(content) ? content : []) {
        const result = Result.safeParse(block).data;
        if (!result) continue;
        const text =
          typeof result.content === 'string' ? result.content : JSON.stringify(result.content ?? '');
        results.set(result.tool_use_id, { isError: result.is_error === true, text });
      }
    }
  }
  return { uuids, results };
}

const Entry = z.object({
  uuid: z.string().optional(),
  message: z.object({ content: z.unknown() }).optional(),
});
const Result = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().optional(),
  content: z.unknown(),
});

/** The last line may be torn. */
function toJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
