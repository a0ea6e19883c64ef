// Stores with one planted fault each: what the crash tests must catch. Each wraps a real store and breaks one promise
// of the Store port. For the test server only.
import { type Event, pause, type Store, type StoreWrites } from '@toolyard/sdk';

/** How long the planted gap between a promise and its keeping stays open. */
const gapMs = 25;

const faults = {
  /** Resolves every commit once it is written, before it is durable. */
  ackEarly: (store: Store): Store => ({ ...store, commit: (write) => commitEarly(store, write, () => true) }),

  /** The same for accepted messages alone. */
  acceptEarly: (store: Store): Store => ({
    ...store,
    commit: (write) => {
      let accepts = false;
      const watch = (tx: StoreWrites): StoreWrites => ({
        ...tx,
        insertTurn: (turn) => {
          accepts = true;
          return tx.insertTurn(turn);
        },
      });
      return commitEarly(
        store,
        (tx) => write(watch(tx)),
        () => accepts,
      );
    },
  }),

  /** Shows events to readers before they are durable. */
  publishEarly: (store: Store): Store => {
    const listeners: ((events: readonly Event[], position: number) => void)[] = [];
    const publish = (events: readonly Event[], position: number) => {
      for (const listener of listeners) listener(events, position);
    };
    return {
      ...store,
      onCommitted: (listener) => void listeners.push(listener),
      commit: (write) =>
        store.commit(async (tx) => {
          let appended = false;
          const append: StoreWrites['append'] = async (drafts) => {
            const events = await tx.append(drafts);
            appended = true;
            publish(events, (await tx.lastPosition()) - events.length + 1);
            return events;
          };
          const value = await write({ ...tx, append });
          if (appended) await pause(gapMs);
          return value;
        }),
    };
  },

  /** Never finds what the last run left behind. */
  skipRecovery: (store: Store): Store => ({ ...store, reads: { ...store.reads, turnsIn: async () => [] } }),

  /** Forgets that a call has begun. */
  forgetStarts: (store: Store): Store => ({
    ...store,
    commit: (write) =>
      store.commit((tx) =>
        write({
          ...tx,
          putToolCall: async (row) => (row.state === 'started' ? undefined : tx.putToolCall(row)),
        }),
      ),
  }),
} satisfies Record<string, (store: Store) => Store>;

export type Fault = keyof typeof faults;

export function withFault(store: Store, fault: Fault): Store {
  return faults[fault](store);
}

/** Resolves as soon as `write` has run, if `isEarly` says so then; the transaction stays open a while longer. */
function commitEarly<T>(
  store: Store,
  write: (tx: StoreWrites) => Promise<T>,
  isEarly: () => boolean,
): Promise<T> {
  return new Promise((resolve, reject) => {
    store
      .commit(async (tx) => {
        const value = await write(tx);
        if (isEarly()) {
          resolve(value);
          await pause(gapMs);
        }
        return value;
      })
      .then(resolve, reject);
  });
}
