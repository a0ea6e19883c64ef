// What a tool says of its progress. A handler may say anything, as often as it likes: what is passed on can be written
// down, is short, and is never more than a slow reader can be made to hold.
import type { Progress } from '@toolyard/sdk';

const longestMessage = 2_000;
/** A burst is fine; a flood is thinned out to one report in so many milliseconds. */
const burst = 100;
const thereafterMs = 50;

/** Says each time whether one more may pass. */
export function createThinning(): () => boolean {
  const startedAt = performance.now();
  let passed = 0;
  return () => {
    if (passed >= burst + (performance.now() - startedAt) / thereafterMs) return false;
    passed++;
    return true;
  };
}

/** Passes reports on. While what took the last one has no room, as its promise says, others are dropped. */
export function createProgress(
  pass: (report: Progress) => Promise<void> | undefined,
): (report: unknown) => void {
  const mayPass = createThinning();
  let isFull = false;
  return (said) => {
    const report = isFull ? undefined : toReport(said);
    if (!report || !mayPass()) return;
    const room = pass(report);
    if (!room) return;
    isFull = true;
    const goOn = () => {
      isFull = false;
    };
    room.then(goOn, goOn);
  };
}

/** The part of it that is a report; nothing when there is none. */
function toReport(said: unknown): Progress | undefined {
  if (typeof said !== 'object' || said === null) return undefined;
  const { message, done, total } = said as Record<string, unknown>; // a tool's, and each is checked here
  const report = {
    ...(typeof message === 'string' && { message: message.slice(0, longestMessage) }),
    ...(isNumber(done) && { done }),
    ...(isNumber(total) && { total }),
  };
  return Object.keys(report).length > 0 ? report : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
