// Folds what the log is told again and again, such as that a disk is still full: the first is written at once, and after a
// minute how often it was repeated. Only what is the same in all but its time counts as the same.
import { type LogEntry, toLogLine } from './log-entry.ts';

const windowMs = 60_000;
/** Different entries that are watched at once. */
const maxWatched = 200;

export interface LogDeduplicator {
  write(entry: LogEntry): void;
  /** Writes what is still held back. */
  flush(): void;
}

interface Watched {
  last: LogEntry;
  repeated: number;
  timer: NodeJS.Timeout;
}

export function createLogDeduplicator(
  write: (entry: LogEntry, line: string) => void,
  { waitMs = windowMs } = {},
): LogDeduplicator {
  const watched = new Map<string, Watched>();

  function end(key: string): void {
    const found = watched.get(key);
    if (!found) return;
    clearTimeout(found.timer);
    watched.delete(key);
    const { last, repeated } = found;
    if (repeated > 0) write({ ...last, repeated }, toLogLine({ ...last, repeated }));
  }

  return {
    write(entry) {
      const line = toLogLine(entry);
      // The time comes first.
      const key = line.slice(line.indexOf('"level"'));
      const known = watched.get(key);
      if (known) {
        known.last = entry;
        known.repeated += 1;
        return;
      }
      write(entry, line);
      const [oldest] = watched.keys();
      if (watched.size >= maxWatched && oldest !== undefined) end(oldest);
      watched.set(key, { last: entry, repeated: 0, timer: setTimeout(() => end(key), waitMs).unref() });
    },
    flush() {
      for (const key of [...watched.keys()]) end(key);
    },
  };
}
