// Keeps the search index up to date with the log, behind it and in small steps: what is indexed and how far that goes
// are one commit, so that a kill loses nothing. What was there before the index is done in the same way, from the start.
import { type IndexedText, pause, type Store } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import { pageBytes } from '../log/log-pages.ts';
import { toTexts } from './search-texts.ts';

/** Positions that are looked through at a time. */
const windowLength = 1_000;
/** Texts of one commit: few enough that nobody waits for it. */
const textBatchSize = 50;
const titleBatchSize = 100;
/** After news, so that what comes together is indexed together. */
const batchDelayMs = 250;
const stepDelayMs = 2;
const retryDelayMs = 1_000;
/** After a start, which has other things to do first. */
const startDelayMs = 1_000;
/** How long a search waits for what was just said; for what is further behind it does not. */
const freshTimeoutMs = 2_000;
const maxFreshLag = 2_000;

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex({ store, logger }: { store: Store; logger: Logger }) {
  const closing = new AbortController();
  const { signal } = closing;
  /** Everything up to here is indexed, or nothing that could be. */
  let done = 0;
  let stored = 0;
  let titles = false;
  /** It is known how far it had come. */
  let isReady = false;
  /** The newest session of before; those that come later are indexed when they are named. */
  let newestBefore = '';
  let newest = 0;
  let working: Promise<void> | undefined;
  let hurry = new AbortController();

  const isBehind = () => !titles || done < newest;

  async function begin(): Promise<void> {
    ({ position: stored, titles } = await store.reads.indexed());
    done = stored;
    newest = Math.max(newest, await store.reads.lastPosition());
    newestBefore = (await store.reads.sessions({ limit: 1 }))[0]?.id ?? '';
    isReady = true;
    wake(startDelayMs);
  }

  function wake(afterMs: number): void {
    if (!isReady || working || signal.aborted || !isBehind()) return;
    working = work(afterMs).finally(() => {
      working = undefined;
      wake(batchDelayMs);
    });
  }

  async function work(afterMs: number): Promise<void> {
    hurry = new AbortController();
    await pause(afterMs, AbortSignal.any([signal, hurry.signal]));
    try {
      if (!titles) await indexTitles();
      while (done < newest && !signal.aborted) await step();
    } catch (cause) {
      if (signal.aborted) return;
      logger.warn('could not index new events for search yet', { cause });
      await pause(retryDelayMs, signal);
    }
  }

  /** A window of the log, in as many commits as it takes. */
  async function step(): Promise<void> {
    const through = Math.min(newest, done + windowLength);
    const texts: IndexedText[] = [];
    for await (const edge of readEdges(done, through)) {
      texts.push(...(await toTexts(store.reads, edge)));
      if (texts.length < textBatchSize) continue;
      await keep(texts.splice(0), edge.position);
      if (signal.aborted) return;
    }
    if (signal.aborted) return;
    // Where nothing is to be found, it is enough to know it for now.
    if (texts.length > 0 || through - stored >= windowLength) await keep(texts, through);
    done = through;
  }

  /** Messages may be large: a few at a time, and others in between. */
  async function* readEdges(after: number, through: number) {
    for (let at = after; at < through && !signal.aborted; ) {
      const edges = await store.reads.edges(at, through, pageBytes);
      yield* edges;
      at = edges.at(-1)?.position ?? through;
      if (at < through) await pause(stepDelayMs, signal);
    }
  }

  async function keep(texts: readonly IndexedText[], position: number): Promise<void> {
    await store.commit(async (tx) => {
      await tx.index(texts);
      await tx.setIndexed({ position, titles });
    });
    stored = position;
    done = position;
    await pause(stepDelayMs, signal);
  }

  /** Of sessions that were there before the index. Begun anew after a crash: an indexed title stays as it is. */
  async function indexTitles(): Promise<void> {
    for (let after: string | undefined; !signal.aborted; ) {
      const page = await store.reads.sessions({ limit: titleBatchSize, ...(after && { after }) });
      const named = page.filter(({ id, title }) => title !== '' && id <= newestBefore);
      await store.commit((tx) =>
        tx.index(named.map(({ id, title }) => ({ sessionId: id, seq: 0, text: title }))),
      );
      await pause(stepDelayMs, signal);
      after = page.at(-1)?.id;
      if (page.length < titleBatchSize) break;
    }
    if (signal.aborted) return;
    await store.commit((tx) => tx.setIndexed({ position: stored, titles: true }));
    titles = true;
  }

  store.onCommitted((events, position) => {
    newest = Math.max(newest, position + events.length - 1);
    wake(batchDelayMs);
  });

  return {
    /** Goes on in the background. */
    start: () =>
      void begin().catch((cause: unknown) => logger.error('could not read the search index', { cause })),

    /** Waits for what was just said, but not for long. Says whether all there is can be found. */
    async settle(): Promise<boolean> {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(freshTimeoutMs)]);
      while (isBehind() && newest - done <= maxFreshLag && !deadline.aborted) {
        hurry.abort('now');
        wake(0);
        await pause(stepDelayMs, deadline);
      }
      return !isBehind();
    },

    async close(): Promise<void> {
      closing.abort('closed');
      await working;
    },
  };
}
