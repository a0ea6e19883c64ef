// Times in words. Clocks differ: what seems to lie a little ahead is now, and what lies far ahead says so.

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Clocks of two machines may be this far apart before it is worth a word. */
const sameMoment = 2 * minute;

export function toRelativeTime(at: string, now: number): string {
  const then = Date.parse(at);
  if (Number.isNaN(then)) return 'unknown time';
  const age = now - then;
  if (age < -sameMoment) return 'in the future';
  if (age < minute) return 'now';
  if (age < hour) return `${Math.floor(age / minute)} min`;
  if (age < day) return `${Math.floor(age / hour)} h`;
  if (age < 7 * day) return `${Math.floor(age / day)} d`;
  return toDate(then, now);
}

export function toExactTime(at: string): string {
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return at;
  return then.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

export function isInFuture(at: string, now: number): boolean {
  return Date.parse(at) - now > sameMoment;
}

/** `1.4 s`, `2 min 5 s`: how long something took. */
export function toDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.floor((ms % minute) / 1_000)} s`;
  return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
}

function toDate(then: number, now: number): string {
  const date = new Date(then);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  });
}
