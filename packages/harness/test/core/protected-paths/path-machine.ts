// A machine in a folder for tests of paths: a person's home directory, a workspace and strangers beside it.
import { join } from 'node:path';
import type { TouchedPath } from '@toolyard/sdk';
import { expect } from 'vitest';
import {
  judgePath,
  type PathContext,
  type PathVerdict,
} from '../../../src/core/protected-paths/protected-paths.ts';
import { makeFolder } from '../../support/workspace.ts';

/** A person's home directory with Toolyard's home in it, a workspace, and strangers beside it. */
export function makeMachine() {
  const base = makeFolder({
    'user/.toolyard/token': 'secret',
    'user/notes.txt': 'private',
    'ws/src/main.ts': '',
    'ws-evil/x': '',
    'other/file': '',
  });
  const at = (path: string) => join(base, path);
  const within = { cwd: at('ws'), workspace: at('ws'), home: at('user/.toolyard'), userHome: at('user') };
  const judge = (path: string, access: TouchedPath['access'] = 'read', also: Partial<PathContext> = {}) =>
    judgePath({ path, access }, { ...within, roots: [], ...also });
  const kindOf = async (...asked: Parameters<typeof judge>) => (await judge(...asked)).kind;
  return { at, judge, kindOf };
}

export type Row = [path: string, kind: PathVerdict['kind']];

/** `<name>` stands for the folder of that name on the machine. */
export async function expectKinds(
  access: TouchedPath['access'],
  rows: readonly Row[],
  machine = makeMachine(),
) {
  const fill = (path: string) => path.replace(/<(.*?)>/, (_, name: string) => machine.at(name));
  const found = await Promise.all(
    rows.map(async ([path]): Promise<Row> => [path, await machine.kindOf(fill(path), access)]),
  );
  expect(found).toEqual(rows);
}

/** The same numbers in every run. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
