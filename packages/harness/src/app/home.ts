// What a command asks of a home without opening the yard. Light on purpose: a command that only talks to a running
// server loads this, and none of what app.ts wires.
export { readConfig } from '../core/config.ts';
export { readServerFile, readToken, resolveHome } from '../core/home.ts';
export { nearest } from '../core/nearest.ts';

/** A clone has no release number. */
export const version = 'development';
