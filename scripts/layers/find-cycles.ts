// Import cycles: for each file the shortest way back to itself, each cycle named once.

export type Graph = ReadonlyMap<string, readonly string[]>;

export function findCycles(graph: Graph): string[][] {
  const cycles = new Map<string, string[]>();
  for (const file of [...graph.keys()].sort()) {
    const cycle = findWayBack(graph, file);
    const key = cycle && [...cycle].sort().join(' ');
    if (key && !cycles.has(key)) cycles.set(key, cycle);
  }
  return [...cycles.values()];
}

function findWayBack(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const target of graph.get(file) ?? []) {
      if (target === start) return walkBack(cameFrom, start, file);
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return undefined;
}

function walkBack(cameFrom: Map<string, string>, start: string, last: string): string[] {
  const way = [last];
  for (let file = last; file !== start; ) {
    file = cameFrom.get(file) ?? start;
    way.unshift(file);
  }
  return way;
}
