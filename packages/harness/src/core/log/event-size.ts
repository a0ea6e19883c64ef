// About how much memory an event takes: the characters in it. Measured once for each, and quickly for the usual ones.
import type { Event } from '@toolyard/sdk';

/** Of an event without any words. */
const least = 200;

const sizes = new WeakMap<Event, number>();

export function toEventSize(event: Event): number {
  if (event.type === 'text_delta' || event.type === 'thinking_delta') return least + event.data.text.length;
  const known = sizes.get(event);
  if (known !== undefined) return known;
  const size = least + measure(event.data);
  sizes.set(event, size);
  return size;
}

/** Data is JSON, so it is a tree. */
function measure(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  for (const [key, each] of Object.entries(value)) sum += key.length + measure(each);
  return sum;
}
