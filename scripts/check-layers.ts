// Executes the dependency rule over packages/*/src and the rings of the tests. The rule itself is data in layers/rules.ts.
import { findCycles } from './layers/find-cycles.ts';
import { findImports } from './layers/find-imports.ts';
import { findRingBreaches } from './layers/find-ring-breaches.ts';
import { findSideDoors, type SideDoor } from './layers/find-side-doors.ts';
import { browserSafe, mayImport, toHomes, toLayer } from './layers/rules.ts';
import { type Target, toPackageFolder, toTarget, toWorkspace, type Workspace } from './layers/workspace.ts';
import { isOfTests, listFiles, readFiles, type SourceFile } from './source/repository.ts';

export interface Violation {
  path: string;
  line: number;
  rule: 'layer' | 'home' | 'cycle' | 'deep' | 'unlisted' | 'builtin' | 'computed' | 'door' | 'ring';
  message: string;
}

interface Edge {
  from: string;
  line: number;
  target: Target;
}

/** Pure: `files` are source files, the packages' package.json files and the files of tests. */
export function findViolations(files: readonly SourceFile[]): Violation[] {
  const workspace = toWorkspace(files);
  const graph = new Map<string, string[]>();
  const violations = [...workspace.sources.values()].flatMap(({ path, text }) => {
    const targets: string[] = [];
    graph.set(path, targets);
    return findImports(text).flatMap(({ specifier, line, kind }): Violation[] => {
      if (specifier === undefined) return kind === 'url' ? [] : [toComputed(path, line)];
      const target = toTarget(workspace, path, specifier);
      if (kind === 'url' && !(target.kind === 'file' && workspace.sources.has(target.path))) return [];
      if (target.kind === 'file') targets.push(target.path);
      return judge(workspace, { from: path, line, target });
    });
  });
  const doors = findSideDoors([...workspace.sources.values()]).map(toSideDoor);
  const rings = findRingBreaches(
    workspace,
    files.filter(({ path }) => isOfTests(path)),
  );
  return [
    ...findStrays(workspace),
    ...violations,
    ...doors,
    ...findCycles(graph).map(toCycle),
    ...rings.map((breach): Violation => ({ ...breach, rule: 'ring' })),
  ];
}

function toSideDoor({ path, line }: SideDoor): Violation {
  return {
    path,
    line,
    rule: 'door',
    message: 'runs a tool past the toolbox; call core/calls/toolbox.ts instead',
  };
}

function judge(workspace: Workspace, edge: Edge): Violation[] {
  const { from, target } = edge;
  const found: (Violation | undefined)[] = [];
  if (target.kind === 'hidden') {
    found.push(violate(edge, 'deep', `${target.name} does not offer this path; import it by its name`));
  } else if (target.kind === 'file') {
    found.push(target.through === 'path' ? judgePath(edge, target.path) : undefined);
    found.push(judgeLayer(edge, target.path), judgeListed(workspace, edge));
  } else {
    found.push(judgeHome(edge, target.name), judgeListed(workspace, edge));
    const isOpen = target.kind === 'library' || !browserSafe.has(toLayer(from));
    if (!isOpen) found.push(violate(edge, 'builtin', `${toLayer(from)} must not use ${target.name}`));
  }
  return found.filter((violation) => violation !== undefined);
}

function judgePath(edge: Edge, path: string): Violation | undefined {
  const home = toPackageFolder(edge.from);
  if (path.startsWith(`${home}/src/`) || path === `${home}/package.json`) return undefined;
  return violate(edge, 'deep', `${path} lies outside ${home}/src; import another package by its name`);
}

function judgeLayer(edge: Edge, path: string): Violation | undefined {
  const [from, to] = [toLayer(edge.from), toLayer(path)];
  if (from === to || path.endsWith('/package.json') || mayImport[from]?.includes(to)) return undefined;
  return violate(edge, 'layer', `${from} must not import ${to} (${path})`);
}

function judgeHome(edge: Edge, library: string): Violation | undefined {
  const allowed = toHomes(library);
  if (!allowed && library.startsWith('node:')) return undefined;
  if (!allowed)
    return violate(edge, 'home', `${library} has no home yet; give it one in scripts/layers/rules.ts`);
  const isHome = allowed.some((home) => edge.from === home || edge.from.startsWith(`${home}/`));
  return isHome ? undefined : violate(edge, 'home', `${library} lives in ${allowed.join(' and ')} only`);
}

function judgeListed(workspace: Workspace, { from, line, target }: Edge): Violation | undefined {
  const own = workspace.packages.find(({ folder }) => folder === toPackageFolder(from));
  const name = toListedName(workspace, target);
  if (!name || name === own?.name || own?.dependencies.has(name)) return undefined;
  const message = `${name} is not in the dependencies of ${toPackageFolder(from)}/package.json`;
  return { path: from, line, rule: 'unlisted', message };
}

/** The name a package.json must list for this import; nothing for Node's own and for paths. */
function toListedName(workspace: Workspace, target: Target): string | undefined {
  if (target.kind === 'library') return target.name;
  if (target.kind !== 'file' || target.through === 'path') return undefined;
  return workspace.packages.find(({ folder }) => folder === toPackageFolder(target.path))?.name;
}

/** Files in a folder that the rule does not know. */
function findStrays(workspace: Workspace): Violation[] {
  return [...workspace.sources.keys()]
    .filter((path) => !Object.hasOwn(mayImport, toLayer(path)))
    .map((path) => ({
      path,
      line: 1,
      rule: 'layer',
      message: `${toLayer(path)} is no layer; enter it in scripts/layers/rules.ts or move the file`,
    }));
}

function toComputed(path: string, line: number): Violation {
  return { path, line, rule: 'computed', message: 'the target of an import must be a plain string' };
}

function toCycle(cycle: string[]): Violation {
  const path = cycle[0] ?? '';
  return { path, line: 1, rule: 'cycle', message: `imports itself: ${[...cycle, path].join(' -> ')}` };
}

function violate(edge: Edge, rule: Violation['rule'], message: string): Violation {
  return { path: edge.from, line: edge.line, rule, message };
}

if (import.meta.main) {
  const paths = listFiles().filter(
    (path) => /^packages\/.*(\/src\/|\/package\.json$)/.test(path) || isOfTests(path),
  );
  const found = findViolations(readFiles(paths));
  for (const { path, line, rule, message } of found) console.error(`${path}:${line} ${rule}: ${message}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
