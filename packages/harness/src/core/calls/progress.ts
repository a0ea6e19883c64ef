// What a tool says of its progress. A handler may say anything, as often as it likes: what is passed on can be written
// down, is short, and is never more than a slow reader can be made to hold.
import type { Progress } from '@toolyard/sdk';

const maxMessageLength = 2_000;
/** A burst is fine; a flood is thinned out to one report in so many milliseconds. */
const burst = 100;
const throttleMs = 50;

/** Says each time whether one more may pass. */
export function createThrottle(): () => boolean {
  const startedAt = performance.now();
  let passed = 0;
  return () => {
    if (passed >= burst + (performance.now() - startedAt) / throttleMs) return false;
    passed++;
    return true;
  };
}

/** Passes reports on. While what took the last one has no room, as its promise says, others are dropped. */
export function createProgress(
  pass: (report: Progress) => Promise<void> | undefined,
): (report: unknown) => void {
  const mayReport = createThrottle();
  let isFull = false;
  return (value) => {
    const report = isFull ? undefined : toReport(value);
    if (!report || !mayReport()) return;
    const room = pass(report);
    if (!room) return;
    isFull = true;
    const resume = () => {
      isFull = false;
    };
    room.then(resume, resume);
  };
}

/** The part of it that is a report; nothing when there is none. */
function toReport(value: unknown): Progress | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, done, total } = value as Record<string, unknown>; // a tool's, and each is checked here
  const report = {
    ...(typeof message === 'string' && { message: message.slice(0, maxMessageLength) }),
    ...(isNumber(done) && { done }),
    ...(isNumber(total) && { total }),
  };
  return Object.keys(report).length > 0 ? report : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
