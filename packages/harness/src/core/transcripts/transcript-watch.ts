// When to look for transcripts: at once for what a watcher reports, now and then for everything, and never so that a
// list has to wait for long.
import type { Clock, Logger } from '../lib/ports.ts';
import { settleWithin } from '../lib/settle-within.ts';
import type { TranscriptEngine } from './transcript-import.ts';
import type { TranscriptIndex } from './transcript-index.ts';

/** After a change that nobody asks about. */
const settleMs = 1_000;
/** What a list waits at most: longer only once, where nothing is known yet; hardly, while a long look goes on. */
const listWaitsMs = { usually: 250, atFirst: 1_000, again: 50 };
/** Everything is looked at again after this long, if anybody asks: rarely where changes are reported. */
const everyMs = { watched: 60_000, unwatched: 2_000 };

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
  let patienceMs = everyMs.unwatched / 2;
  let hasKeptWaiting = false;
  let lookingAtAll: Promise<void> | undefined;
  let lookingAtChanged: Promise<void> = Promise.resolve();
  let lookedAt: number | undefined;

  function onChange(place: string): void {
    changed.add(place);
    timer ??= setTimeout(() => void lookAtChanged(), settleMs).unref();
  }

  /** Resolves once all that was reported up to now has been looked at. */
  function lookAtChanged(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const places = [...changed];
    changed.clear();
    if (places.length === 0 || signal.aborted) return lookingAtChanged;
    lookingAtChanged = attempt(() => index.look(places));
    return lookingAtChanged;
  }

  /** Again after a while where it could not be done, for example because there was nothing yet. */
  async function watch(): Promise<void> {
    if (isWatched || clock.now() < tryAt || !engine.transcripts.watch) return;
    tryAt = clock.now() + patienceMs;
    patienceMs = Math.min(2 * patienceMs, everyMs.watched);
    watching?.abort();
    watching = new AbortController();
    isWatched = await engine.transcripts.watch(onChange, AbortSignal.any([signal, watching.signal]));
  }

  /** Watches first, so that nothing falls between the two. */
  function lookAtAll(): Promise<void> {
    lookingAtAll ??= attempt(async () => {
      await watch();
      await index.look();
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
      if (!signal.aborted) logger.warn('transcripts could not be looked for', { cause });
    }
  }

  return {
    start(): void {
      void lookAtAll();
    },

    async freshen(): Promise<void> {
      const isFirst = lookedAt === undefined;
      const every = isWatched ? everyMs.watched : everyMs.unwatched;
      const isDue = isFirst || clock.now() - (lookedAt ?? 0) >= every;
      if (isDue) void lookAtAll();
      if (lookingAtAll && isFirst) {
        const { again, atFirst, usually } = listWaitsMs;
        const ms = hasKeptWaiting ? again : index.isEmpty() ? atFirst : usually;
        hasKeptWaiting = true;
        return wait(lookingAtAll, ms);
      }
      if (lookingAtAll && !isWatched) return wait(lookingAtAll, listWaitsMs.usually);
      // What happened before this call is reported in the next round of the loop, but not in this one.
      await roundOfTheLoop();
      await roundOfTheLoop();
      await wait(lookAtChanged(), listWaitsMs.usually);
    },
  };
}

async function wait(work: Promise<void>, ms: number): Promise<void> {
  await settleWithin(work, AbortSignal.abort('now'), ms);
}

function roundOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
