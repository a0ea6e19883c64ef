// Tests that import more than their ring allows, by themselves or through what they share with other tests.
import type { SourceFile } from '../source/repository.ts';
import { findImports } from './find-imports.ts';
import { outOfRing, type Ring, toRing } from './rules.ts';
import { toTarget, type Workspace } from './workspace.ts';

export interface RingBreach {
  path: string;
  line: number;
  message: string;
}

interface Edge {
  to: string;
  line: number;
}

/** `tests` are all files in `test` folders. */
export function findRingBreaches(workspace: Workspace, tests: readonly SourceFile[]): RingBreach[] {
  const edges = new Map(tests.map((file) => [file.path, toEdges(workspace, file)]));
  return tests.flatMap((file): RingBreach[] => {
    const { path } = file;
    const ring = toRing(path);
    if (!ring) return findSharedHooks(file);
    const worst = findWorst(ring, edges, path);
    return worst ? [{ path, line: worst.line, message: toMessage(path, worst) }] : [];
  });
}

const hook = /^(?:(?:before|after)(?:All|Each)|onTestFinished|vi\.setConfig)\(/;

/** Workers are shared: what a module does when it is loaded, it does for the first test file alone. */
function findSharedHooks({ path, text }: SourceFile): RingBreach[] {
  const message = 'this counts for the first test file that loads it; export a function that each file calls';
  return text
    .split('\n')
    .flatMap((line, index) => (hook.test(line) ? [{ path, line: index + 1, message }] : []));
}

function toEdges(workspace: Workspace, { path, text }: SourceFile): Edge[] {
  return findImports(text).flatMap(({ specifier, line, kind, typesOnly }) => {
    if (specifier === undefined || kind === 'url' || typesOnly) return [];
    const target = toTarget(workspace, path, specifier);
    return [{ to: target.kind === 'file' ? target.path : target.name, line }];
  });
}

interface Found {
  line: number;
  through: readonly string[];
  ring: Ring;
}

/** The import that needs the farthest ring, by the shortest way. */
function findWorst(ring: Ring, edges: ReadonlyMap<string, Edge[]>, from: string): Found | undefined {
  const found: Found[] = [];
  const seen = new Set([from]);
  const open: { path: string; line: number; through: string[] }[] = [{ path: from, line: 0, through: [] }];
  for (const { path, line: firstLine, through } of open) {
    for (const { to, line } of edges.get(path) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      const next = { path: to, line: firstLine || line, through: [...through, to] };
      open.push(next);
      const broken = outOfRing[ring].find(({ imports }) => imports.includes(to));
      if (broken) found.push({ ...next, ring: broken.ring });
    }
  }
  return found.find((each) => each.ring === 'real') ?? found[0];
}

function toMessage(path: string, { through, ring }: Found): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.app)?\.test\.ts$/, `.${ring}.test.ts`);
  const way = through.length > 1 ? ` (through ${through.slice(0, -1).join(' and ')})` : '';
  return `a test of the ring ${toRing(path)} must not import ${through.at(-1)}${way}; rename it to ${name}`;
}
