// Events as JSON. The same event often goes to many readers, so its text is made once and kept as long as the event is.
import type { Event } from '@toolyard/sdk';

const texts = new WeakMap<Event, string>();

/** The same text whether the event is news or comes from the store. */
export function toEventText(event: Event): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const { sessionId, seq, at, lineage, type, data } = event;
  const text = JSON.stringify({ sessionId, seq, at, lineage, type, data });
  texts.set(event, text);
  return text;
}
