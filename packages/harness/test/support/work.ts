// Where the sessions of a test work: beside its home, where none may.
import { mkdirSync } from 'node:fs';

/** The same folder each time. Whoever removes the home removes it too. */
export function workBeside(home: string): string {
  const work = `${home}-work`;
  mkdirSync(work, { recursive: true });
  return work;
}
