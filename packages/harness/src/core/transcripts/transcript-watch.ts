// When to look for transcripts: at once for what a watcher reports, now and then for everything, and never so that a
// list has to wait for long.
import type { Clock, Logger } from '../lib/ports.ts';
import { settleWithin } from '../lib/settle-within.ts';
import type { TranscriptEngine } from './transcript-import.ts';
import type { TranscriptIndex } from './transcript-index.ts';

/** After a change that nobody asks about. */
const settleMs = 1_000;
/** What a list waits at most: longer only once, where nothing is known yet; hardly, while a long look goes on. */
const listTimeoutsMs = { usually: 250, atFirst: 1_000, again: 50 };
/** Everything is looked at again after this long, if anybody asks: rarely where changes are reported. */
const rescanIntervalsMs = { watched: 60_000, unwatched: 2_000 };

interface TranscriptWatchDeps {
  engine: TranscriptEngine;
  index: TranscriptIndex;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}

export function createTranscriptWatch({ engine, index, clock, logger, signal }: TranscriptWatchDeps) {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isWatched = false;
  let watching: AbortController | undefined;
  let tryAt = 0;
  let intervalMs = rescanIntervalsMs.unwatched / 2;
  let hasKeptWaiting = false;
  let lookingAtAll: Promise<void> | undefined;
  let lookingAtChanged: Promise<void> = Promise.resolve();
  let lookedAt: number | undefined;

  function onChange(place: string): void {
    changed.add(place);
    timer ??= setTimeout(() => void scanChanged(), settleMs).unref();
  }

  /** Resolves once all that was reported up to now has been looked at. */
  function scanChanged(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const places = [...changed];
    changed.clear();
    if (places.length === 0 || signal.aborted) return lookingAtChanged;
    lookingAtChanged = attempt(() => index.scan(places));
    return lookingAtChanged;
  }

  /** Again after a while where it could not be done, for example because there was nothing yet. */
  async function watch(): Promise<void> {
    if (isWatched || clock.now() < tryAt || !engine.transcripts.watch) return;
    tryAt = clock.now() + intervalMs;
    intervalMs = Math.min(2 * intervalMs, rescanIntervalsMs.watched);
    watching?.abort();
    watching = new AbortController();
    isWatched = await engine.transcripts.watch(onChange, AbortSignal.any([signal, watching.signal]));
  }

  /** Watches first, so that nothing falls between the two. */
  function scanAll(): Promise<void> {
    lookingAtAll ??= attempt(async () => {
      await watch();
      await index.scan();
    }).finally(() => {
      lookedAt = clock.now();
      lookingAtAll = undefined;
    });
    return lookingAtAll;
  }

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (!signal.aborted) logger.warn('could not look for transcripts', { cause });
    }
  }

  return {
    start(): void {
      void scanAll();
    },

    async refresh(): Promise<void> {
      const isFirst = lookedAt === undefined;
      const every = isWatched ? rescanIntervalsMs.watched : rescanIntervalsMs.unwatched;
      const isDue = isFirst || clock.now() - (lookedAt ?? 0) >= every;
      if (isDue) void scanAll();
      if (lookingAtAll && isFirst) {
        const { again, atFirst, usually } = listTimeoutsMs;
        const ms = hasKeptWaiting ? again : index.isEmpty() ? atFirst : usually;
        hasKeptWaiting = true;
        return wait(lookingAtAll, ms);
      }
      if (lookingAtAll && !isWatched) return wait(lookingAtAll, listTimeoutsMs.usually);
      // What happened before this call is reported in the next round of the loop, but not in this one.
      await nextEventLoopTurn();
      await nextEventLoopTurn();
      await wait(scanChanged(), listTimeoutsMs.usually);
    },
  };
}

async function wait(work: Promise<void>, ms: number): Promise<void> {
  await settleWithin(work, AbortSignal.abort('now'), ms);
}

function nextEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
