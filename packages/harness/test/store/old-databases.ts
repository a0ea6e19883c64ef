// Databases of every schema before the newest. Those of the fixtures were made by the code of their time; where none was
// kept, the nearest older one is brought there by the migrations between.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Store } from '@toolyard/sdk';
import { migrations } from '../../src/store/migrations/list.ts';
import { openTestStore } from './support.ts';

const folder = join(import.meta.dirname, 'fixtures');
const kept = readdirSync(folder)
  .map((name) => Number(/^schema-(\d+)\.db\.gz$/.exec(name)?.[1]))
  .filter((schema) => schema > 0)
  .sort((a, b) => a - b);

export const newest = migrations.length;
export const olderSchemas = migrations.map(({ version }) => version).filter((version) => version < newest);

/** Puts a database of the schema at the path; gives what the store of its time read from it. */
export async function putOldDatabase(path: string, schema: number): Promise<OldRows> {
  const source = kept.findLast((each) => each <= schema) ?? 1;
  writeFileSync(path, gunzipSync(readFileSync(join(folder, `schema-${source}.db.gz`))));
  if (source < schema) {
    const { store } = await openTestStore(path, {}, { migrations: migrations.slice(0, schema) });
    await store.close();
  }
  return JSON.parse(readFileSync(join(folder, `schema-${source}.json`), 'utf8'));
}

/** What write-home.ts prints; later parts are missing in early ones. */
export interface OldRows {
  sessions: { id: string; lastSeq: number }[];
  events: { sessionId: string }[][];
  turns: { id: string }[];
  toolCalls: unknown[][];
  resumes: unknown[];
  approvals?: unknown[];
  questions?: unknown[];
  grants?: unknown[];
  tokens?: unknown[];
  audit?: unknown[];
  auditHead?: { rows: number };
  trust?: string;
  transcripts?: unknown[];
  position?: number;
  usage?: unknown;
}

/** The same reads, of today. Parts that the old one did not have are left out. */
export async function readLike(old: OldRows, { reads }: Store): Promise<OldRows> {
  const ids = old.events.map(([first]) => first?.sessionId ?? '');
  const heads = await reads.turnsIn(['queued', 'running', 'completed', 'failed']);
  const turns = await Promise.all(heads.map(({ id }) => reads.turn(id)));
  const rows: Required<OldRows> = {
    sessions: await reads.sessions({ limit: 10 }),
    events: await Promise.all(ids.map((id) => reads.events(id, 0, 1_000))),
    turns: turns.filter((turn) => turn !== undefined),
    toolCalls: await Promise.all(old.turns.map(({ id }) => reads.toolCalls(id))),
    resumes: await Promise.all(ids.map((id) => reads.resume(id))),
    approvals: await reads.approvals({ limit: 10 }),
    questions: await reads.questions({ limit: 10 }),
    grants: await reads.grants(),
    tokens: await reads.tokens(),
    audit: await reads.auditRows({ after: 0, limit: 1_000 }),
    auditHead: await reads.auditHead(),
    trust: (await reads.trustedHash('/a/workspace')) ?? '',
    transcripts: await reads.transcripts({ engine: 'claude', limit: 10 }),
    position: await reads.lastPosition(),
    usage: await reads.usage({ from: '2000', to: '3000', by: 'role', step: 'day', utcOffset: 0, limit: 9 }),
  };
  return {
    ...rows,
    ...Object.fromEntries(
      Object.keys(rows)
        .filter((key) => !(key in old))
        .map(toNothing),
    ),
  };
}

function toNothing(key: string): [string, undefined] {
  return [key, undefined];
}
