// The path that call stacks show. Pure.
import { basename, dirname } from 'node:path/posix';
import type { Frame, Stack } from './call-stacks.ts';

export interface Path {
  /** In the order in which they are first passed, each with the place that shows it. */
  files: Frame[];
  rooms: number;
  /** From one room into another, each pair once. */
  changes: number;
}

export function toPath(stacks: readonly Stack[]): Path {
  const files = new Map<string, Frame>();
  const changes = new Set<string>();
  for (const stack of stacks) {
    for (const [index, frame] of stack.entries()) {
      if (!files.has(frame.file)) files.set(frame.file, frame);
      const from = dirname(stack[index - 1]?.file ?? frame.file);
      const to = dirname(frame.file);
      if (from !== to) changes.add(`${from} -> ${to}`);
    }
  }
  const rooms = new Set([...files.keys()].map((file) => dirname(file)));
  return { files: [...files.values()], rooms: rooms.size, changes: changes.size };
}

/** Room by room; the number in front of a file is its place on the path. */
export function formatFiles(files: readonly Frame[]): string {
  const numbered = files.map(({ file, place }, index) => ({
    file,
    place,
    number: `${index + 1}`.padStart(5),
  }));
  const rooms = Object.entries(Object.groupBy(numbered, ({ file }) => dirname(file)));
  const lines = rooms.flatMap(([room, inside = []]) => [
    `  ${room}`,
    ...inside.map(({ number, file, place }) => `${number} ${basename(file)} (${place})`),
  ]);
  return lines.join('\n');
}
