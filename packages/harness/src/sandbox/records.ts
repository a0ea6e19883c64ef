// Which processes were started and not seen to end: one small file each in the home, for the next start to read.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The first line is written before the process is made, the second when its number is known. */
const Intent = z.object({
  id: z.string().regex(/^prc_[0-9a-f]+$/),
  purpose: z.string(),
  command: z.string(),
});
const Identity = z.object({ pid: z.int().min(2), startedAt: z.string().min(1) });

export type ProcessIntent = z.infer<typeof Intent>;
export type ProcessIdentity = z.infer<typeof Identity>;
export type ProcessRecord = ProcessIntent & Partial<ProcessIdentity>;

export interface ProcessRecords {
  add(intent: ProcessIntent): void;
  identify(id: string, identity: ProcessIdentity): void;
  remove(id: string): void;
  /** Those of earlier servers too. A file that is no record, or not yet one, is thrown away. */
  list(): ProcessRecord[];
}

/** Nothing is forced to the disk: when the machine goes down, so do the processes. */
export function createRecords(home: string): ProcessRecords {
  const folder = join(home, 'processes');
  const toPath = (id: string) => join(folder, `${id}.json`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = new Set<string>();
  return {
    add(intent) {
      own.add(intent.id);
      writeFileSync(toPath(intent.id), `${JSON.stringify(intent)}\n`, { mode: 0o600 });
    },
    identify(id, identity) {
      // A short-lived process may have ended, and its record with it.
      if (own.has(id)) appendFileSync(toPath(id), `${JSON.stringify(identity)}\n`);
    },
    remove(id) {
      own.delete(id);
      rmSync(toPath(id), { force: true });
    },
    list: () =>
      readdirSync(folder)
        .map((name) => readRecord(join(folder, name)))
        .filter((record) => record !== undefined),
  };
}

function readRecord(path: string): ProcessRecord | undefined {
  const record = parseRecord(readFileSync(path, 'utf8'));
  if (!record) rmSync(path, { force: true });
  return record;
}

function parseRecord(text: string): ProcessRecord | undefined {
  const [first = '', second = ''] = text.split('\n');
  const intent = Intent.safeParse(parseLine(first));
  if (!intent.success) return undefined;
  return { ...intent.data, ...Identity.safeParse(parseLine(second)).data };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
