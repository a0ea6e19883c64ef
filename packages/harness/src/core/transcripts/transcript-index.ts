// The index of an engine's transcripts: what lies on disk, compared with what we know. It looks at names, sizes and
// times, and opens only what has changed.
import type { Store, TranscriptFinding, TranscriptStamp } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import type { TranscriptEngine } from './transcript-import.ts';
import { createTranscriptRows, type Defaults, type Found } from './transcript-rows.ts';

const atOnce = 50;
const pageLength = 1_000;

export type Problem = Extract<TranscriptFinding, { kind: 'problem' }>;

export interface TranscriptIndexDeps {
  engine: TranscriptEngine;
  store: Store;
  logger: Logger;
  defaultsFor(cwd: string): Promise<Defaults>;
  /** A transcript that was read before, or is of a session of ours, has changed. */
  onChanged(sessionId: string): void;
  signal: AbortSignal;
}

export interface TranscriptIndex {
  isEmpty(): boolean;
  /** One after another. Gives what could not be looked at; rejects only when it cannot be stored. */
  scan(places?: readonly string[]): Promise<Problem[]>;
}

export function createTranscriptIndex(deps: TranscriptIndexDeps): TranscriptIndex {
  const { engine, store, defaultsFor, onChanged, signal } = deps;
  const rows = createTranscriptRows({ engine: engine.id, store, defaultsFor });
  const warnOnce = createWarnOnce(deps.logger);
  /** By token. */
  const stamps = new Map<string, TranscriptStamp>();
  let loading: Promise<void> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function scanPlaces(places: readonly string[] | undefined): Promise<Problem[]> {
    loading ??= load(store, engine.id, stamps);
    await loading;
    const present = new Set<string>();
    const problems: Problem[] = [];
    const waiting: Found[] = [];
    const isKnown = (stamp: TranscriptStamp) => isSame(stamps.get(stamp.token), stamp);
    for await (const finding of engine.transcripts.list({ ...(places && { places }), isKnown, signal })) {
      if (finding.kind === 'problem') problems.push(finding);
      else if (finding.kind === 'gone') await remove(({ path }) => path === finding.path);
      else {
        present.add(finding.stamp.token);
        if (finding.kind === 'silent') stamps.set(finding.stamp.token, finding.stamp);
        if (finding.kind === 'found') waiting.push(finding);
        if (waiting.length >= atOnce) await keep(waiting.splice(0));
      }
    }
    await keep(waiting);
    // Where nothing is left at all, a disk is missing rather than a thousand files.
    const isAll = !places && problems.length === 0 && present.size > 0 && !signal.aborted;
    if (isAll) await remove(({ token }) => !present.has(token));
    warnOnce(problems);
    return problems;
  }

  async function keep(found: readonly Found[]): Promise<void> {
    if (found.length === 0 || signal.aborted) return;
    for (const { stamp, sessionId } of await rows.put(found)) {
      if (stamp) stamps.set(stamp.token, stamp);
      if (sessionId) onChanged(sessionId);
    }
  }

  async function remove(isMissing: (stamp: TranscriptStamp) => boolean): Promise<void> {
    const missing = [...stamps.values()].filter(isMissing);
    if (missing.length > 0) await rows.remove(missing);
    for (const { token } of missing) stamps.delete(token);
  }

  return {
    isEmpty: () => stamps.size === 0,
    scan(places) {
      const turn = queue.then(() => scanPlaces(places));
      queue = turn.catch(() => {});
      return turn;
    },
  };
}

/** Those of deleted sessions, too: as long as they stay as they are, they need not be opened. */
async function load(store: Store, engine: string, into: Map<string, TranscriptStamp>): Promise<void> {
  const { transcripts, deletedTranscripts } = store.reads;
  for (const list of [deletedTranscripts, transcripts]) {
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await list({ engine, limit: pageLength, ...(after && { after }) });
      for (const { token, path, size, modifiedAt } of page)
        into.set(token, { token, path, size, modifiedAt });
      after = page.at(-1)?.token;
      isMore = page.length === pageLength;
    }
  }
}

function isSame(known: TranscriptStamp | undefined, found: TranscriptStamp): boolean {
  if (!known) return false;
  // Of two files of one name the one written last counts.
  if (known.path !== found.path) return known.modifiedAt > found.modifiedAt;
  return known.size === found.size && known.modifiedAt === found.modifiedAt;
}

/** Says each thing once. */
function createWarnOnce(logger: Logger): (problems: readonly Problem[]) => void {
  const warned = new Set<string>();
  return (problems) => {
    for (const { path, code, message } of problems) {
      if (warned.has(`${code} ${path}`)) continue;
      warned.add(`${code} ${path}`);
      logger.warn('could not read transcripts', { path, code, message });
    }
  };
}
