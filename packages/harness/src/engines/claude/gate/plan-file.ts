// The file in which the CLI keeps the plan of a session: the one that an agent writes while it plans. It lies where no
// agent may write, so it must be exactly the one that the CLI has named in its own transcript.
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pause } from '@toolyard/sdk';
import { z } from 'zod';
import { openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { textAt } from '../tools/touched-paths.ts';

/** The name under which such a call is judged. */
export const planFileTool = 'claude:PlanFile';

/** In place of the CLI's own way of planning, which begins with agents that no session has here. */
export const planInstructions = `Find out what is there: read and search, and ask with AskUserQuestion what only the person can know. Then write one plan into the plan file: why something should change, what you will change and where, what you will use of what is there, and how it will be tested. Then call ExitPlanMode, which shows the plan to the person. If you cannot write files, send the whole plan to ExitPlanMode as \`plan\`.`;

const tools = new Set(['Write', 'Edit', 'Read']);
/** The CLI writes its transcript a little later than it acts. */
const writtenTimeoutMs = 2_000;

export interface HookedCall {
  tool_name: string;
  tool_input: unknown;
  transcript_path: string;
  cwd: string;
  permission_mode?: string | undefined;
}

export async function touchesPlanFile(call: HookedCall): Promise<boolean> {
  if (call.permission_mode !== 'plan' || !tools.has(call.tool_name)) return false;
  const given = textAt(call.tool_input, 'file_path');
  const path = given && resolve(call.cwd, given);
  // <config>/projects/<project>/<session>.jsonl
  const plans = join(dirname(dirname(dirname(call.transcript_path))), 'plans');
  if (!path || path !== given || dirname(path) !== plans || !(await isPlain(path))) return false;
  for (let waited = 0; waited <= writtenTimeoutMs; waited += 100) {
    if ((await findPlanFile(call.transcript_path)) === path) return true;
    await pause(100);
  }
  return false;
}

/** A file, or nothing yet; never a link to somewhere else. */
async function isPlain(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ?? true;
}

const Entry = z.object({
  attachment: z.object({ type: z.literal('plan_mode'), planFilePath: z.string() }),
});

/** The newest that the transcript names. */
async function findPlanFile(transcript: string): Promise<string | undefined> {
  let found: string | undefined;
  try {
    await using file = await openRegularFile(transcript);
    const lines = createInterface({ input: file.createReadStream({ encoding: 'utf8', autoClose: false }) });
    for await (const line of lines) {
      if (line.includes('"planFilePath"'))
        found = Entry.safeParse(toJson(line)).data?.attachment.planFilePath ?? found;
    }
  } catch {
    // A transcript that is not there yet names nothing.
  }
  return found;
}

function toJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
