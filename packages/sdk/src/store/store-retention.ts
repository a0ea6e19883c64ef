// The part of the Store port for retention: which sessions nobody would miss, how large the store is, and giving room back.

export interface RetentionReads {
  /**
   * Sessions in which nothing is under way and nobody is asked, last touched before an ISO time, the longest untouched
   * first. Those begun outside are left out: they are as old as their file, and there as long as it is.
   */
  untouchedSessions(wanted: {
    before: string;
    limit: number;
    after?: UntouchedSession | undefined;
  }): Promise<UntouchedSession[]>;
  /** Bytes that rows take, and bytes of the files that are free for others. */
  storeSize(): Promise<StoreSize>;
  /** About how many of them no session takes along when it is deleted: the audit, usage, and what tasks remember. */
  recordBytes(): Promise<number>;
  /** About how many the logs of those sessions take that `untouchedSessions` does not give. */
  heldBytes(before: string): Promise<number>;
}

export interface RetentionWrites {
  /** Gives at most so many free bytes back to the disk. Says whether it could give more. */
  shrink(bytes: number): Promise<boolean>;
  /**
   * Looks at so many dispatches that were drafted before, oldest first, and removes those that ended before, whose session
   * is gone and under whose root nobody works. Their task keeps its counts and costs. `next` is where to go on.
   */
  removeDispatches(page: {
    before: string;
    limit: number;
    after?: DispatchPlace | undefined;
  }): Promise<{ removed: number; next?: DispatchPlace }>;
}

export interface DispatchPlace {
  draftedAt: string;
  position: number;
}

export interface UntouchedSession {
  id: string;
  updatedAt: string;
}

export interface StoreSize {
  usedBytes: number;
  freeBytes: number;
}
