// Runs once before the tests of the ring `real`: bundles the command, so that the processes they start do so fast.
import { findBundle } from '../../packages/harness/bin/bundle.mjs';

export async function setup(): Promise<void> {
  // Plain JavaScript that does its work when it is loaded.
  if (!findBundle()) await import(new URL('../bundle.mjs', import.meta.url).href);
}
