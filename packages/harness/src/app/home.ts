// What a command asks of a home without opening the yard. Light on purpose: a command that only talks to a running
// server loads this, and none of what app.ts wires.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export { readConfig } from '../core/config/config.ts';
export { readServerFile, readToken, resolveHome } from '../core/files/home.ts';
export { findNearest } from '../core/lib/did-you-mean.ts';

/** A clone has no release number. */
export const version = import.meta.filename.endsWith('.ts') ? 'development' : readVersion();

function readVersion(): string {
  const path = join(import.meta.dirname, '..', '..', 'package.json');
  // Our own package.json, which npm has already read.
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
