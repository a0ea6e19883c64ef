// Conversations kept by the engines' own programs, as sessions of ours: found in the background and on every list, read
// when somebody opens or continues them.
import { type Config, type Engine, pause, type Store } from '@toolyard/sdk';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger } from '../lib/ports.ts';
import { settleWithin } from '../lib/settle-within.ts';
import type { Log } from '../log/log.ts';
import { findWorkspace } from '../workspace/workspaces.ts';
import { createCatchUp } from './transcript-catch-up.ts';
import { createTranscriptImport, type TranscriptEngine } from './transcript-import.ts';
import { createTranscriptIndex } from './transcript-index.ts';
import type { Defaults } from './transcript-rows.ts';
import { createTranscriptWatch } from './transcript-watch.ts';

/** A session that is opened shows by then what could be read of it; the rest follows as it is read. */
const openTimeoutMs = 5_000;
const closeTimeoutMs = 1_000;

export interface TranscriptsDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  newId: NewId;
  config: Config;
  configs: { for(workspace: string): Promise<Config> };
  engines: readonly Engine[];
  /** Something was added to a session outside: what runs in its name does not know of it. */
  onAdded(sessionId: string): void;
}

export interface TranscriptSync {
  /** Begins to look. What it finds shows in lists as it is found. */
  start(): void;
  /** Takes notice of what has just changed, but not for long: the rest shows in the next list. */
  refresh(): Promise<void>;
  /** Takes notice of all there is of one directory. Throws when that cannot be read, with the system's code. */
  scan(cwd: string): Promise<void>;
  /** For whoever wants to read a session. */
  open(sessionId: string): Promise<void>;
  /** For whoever wants to add to a session: all that was said elsewhere stands before it. */
  prepare(sessionId: string): Promise<void>;
  /** What is being read of a session, or of all. */
  settled(sessionId: string): Promise<unknown>;
  close(): Promise<void>;
}

export function createTranscripts(deps: TranscriptsDeps): TranscriptSync {
  const { store, clock, logger, onAdded } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  const importer = createTranscriptImport(deps);
  const defaultsFor = createDefaults(deps);
  const kept = deps.engines.filter(hasTranscripts).map((engine) => {
    const onChanged = (sessionId: string) => void catchUp(sessionId);
    const index = createTranscriptIndex({ engine, store, logger, defaultsFor, onChanged, signal });
    return { engine, index, watch: createTranscriptWatch({ engine, index, clock, logger, signal }) };
  });
  const find = (id: string) => kept.find(({ engine }) => engine.id === id);
  const catchUp = createCatchUp({ store, logger, importer, find, onAdded, signal });

  return {
    start() {
      for (const { watch } of kept) watch.start();
    },
    async refresh() {
      await Promise.all(kept.map(({ watch }) => watch.refresh()));
    },
    async scan(cwd) {
      for (const { engine, index } of kept) {
        const place = engine.transcripts.placeOf(cwd);
        const [problem] = place ? await index.scan([place]) : [];
        if (problem) throw Object.assign(new Error(problem.message), { code: problem.code });
      }
    },
    async open(sessionId) {
      if (kept.length > 0) await settleWithin(catchUp(sessionId), AbortSignal.abort('now'), openTimeoutMs);
    },
    async prepare(sessionId) {
      if (kept.length === 0) return;
      // One that was begun earlier may have looked before the last words were written.
      await catchUp.settled(sessionId);
      const hasTranscript = await catchUp(sessionId);
      const row = hasTranscript && (await store.reads.transcriptOf(sessionId));
      if (row) await importer.endOpenTurn(row, new Date(clock.now()).toISOString());
    },
    settled: (sessionId) => catchUp.settled(sessionId),
    async close() {
      closing.abort('closed');
      const ended = new AbortController();
      void catchUp.settled().then(() => ended.abort('ended'));
      await pause(closeTimeoutMs, ended.signal);
    },
  };
}

function hasTranscripts(engine: Engine): engine is TranscriptEngine {
  return engine.transcripts !== undefined;
}

/** Role and mode as a new session there would get them: what ran elsewhere may have been allowed more. */
function createDefaults({ config, configs }: TranscriptsDeps): (cwd: string) => Promise<Defaults> {
  return async (cwd) => {
    const workspace = findWorkspace(cwd);
    const { defaults } = await configs.for(workspace).catch(() => config);
    const { role, model, mode } = defaults;
    return { role, model, mode, workspace };
  };
}
