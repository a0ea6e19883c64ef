// What a process weighs, for soak tests. Needs --expose-gc.
import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects } from 'node:v8';

export interface Weight {
  /** How many there are in all. Unlike bytes, it does not grow with the code that V8 compiles. */
  objects: number;
  heapBytes: number;
  rssBytes: number;
  /** What would keep the process alive, by kind. */
  resources: Record<string, number>;
  /** Listeners on the process, by event. */
  listeners: Record<string, number>;
}

/** Where they are pipes, they count from when they are first looked at. */
const standard = [process.stdout, process.stderr];

export async function weigh(): Promise<Weight> {
  if (standard.some((stream) => stream.destroyed)) throw new Error('nobody listens any more');
  // What was just let go is given back in more than one round.
  for (let round = 0; round < 4; round++) {
    await pause(50);
    globalThis.gc?.();
  }
  const objects = queryObjects(Object, { format: 'count' });
  const { heapUsed, external, rss } = process.memoryUsage();
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const resources = Object.fromEntries([...kinds].map(([kind, found]) => [kind, found.length]));
  const names = process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
  const listeners = Object.fromEntries(names);
  return { objects, heapBytes: heapUsed + external, rssBytes: rss, resources, listeners };
}
