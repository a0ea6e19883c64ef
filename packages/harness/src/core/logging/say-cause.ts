// What was thrown, in words for a person: each cause behind it, without secrets and without bulk. Pure.
import type { Redact } from './redact.ts';

const mostCauses = 4;
const mostText = 2_000;

export function sayCause(thrown: unknown, redact: Redact): string {
  const words: string[] = [];
  for (let cause = thrown; cause !== undefined && words.length < mostCauses; ) {
    words.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return String(redact(words.join('\nbecause of ').slice(0, mostText)));
}
