// Executes the dependency rule over packages/*/src and the rings of the tests. The rule itself is data in layers/rules.ts.
import { dirname } from 'node:path/posix';
import { findCycles } from './layers/find-cycles.ts';
import { type FileAccess, findFileAccess } from './layers/find-file-access.ts';
import { findHandlerCalls, type HandlerCall } from './layers/find-handler-calls.ts';
import { findImports } from './layers/find-imports.ts';
import { findRingBreaches } from './layers/find-ring-breaches.ts';
import {
  appOpeners,
  browserSafe,
  homes,
  matches,
  mayImport,
  opensByPath,
  processStarters,
  rooms,
  toHomes,
  toLayer,
  toRoom,
} from './layers/rules.ts';
import { type Target, toPackageFolder, toTarget, toWorkspace, type Workspace } from './layers/workspace.ts';
import { isOfTests, listFiles, readFiles, type SourceFile } from './source/repository.ts';

const rulesPath = 'scripts/layers/rules.ts';

export interface Violation {
  path: string;
  line: number;
  rule:
    | 'layer'
    | 'room'
    | 'home'
    | 'cycle'
    | 'deep'
    | 'unlisted'
    | 'builtin'
    | 'computed'
    | 'toolbox'
    | 'files'
    | 'ring'
    | 'unused';
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
  const handlerCalls = findHandlerCalls([...workspace.sources.values()]).map(toHandlerCall);
  const opened = findFileAccess([...workspace.sources.values()]).map(toFileAccess);
  const rings = findRingBreaches(
    workspace,
    files.filter(({ path }) => isOfTests(path)),
  );
  return [
    ...findStrays(workspace),
    ...violations,
    ...handlerCalls,
    ...opened,
    ...findCycles(graph).map(toCycle),
    ...rings.map((breach): Violation => ({ ...breach, rule: 'ring' })),
  ];
}

function toHandlerCall({ path, line }: HandlerCall): Violation {
  return {
    path,
    line,
    rule: 'toolbox',
    message: 'runs a tool past the toolbox; call core/calls/toolbox.ts instead',
  };
}

function toFileAccess({ path, line, name }: FileAccess): Violation {
  return {
    path,
    line,
    rule: 'files',
    message: `uses ${name} where agents may write; go through untrusted-files, or enter it in ${rulesPath} if they cannot`,
  };
}

function judge(workspace: Workspace, edge: Edge): Violation[] {
  const { from, target } = edge;
  const found: (Violation | undefined)[] = [];
  if (target.kind === 'hidden') {
    found.push(violate(edge, 'deep', `${target.name} does not offer this path; import it by its name`));
  } else if (target.kind === 'file') {
    found.push(target.through === 'path' ? judgePath(edge, target.path) : undefined);
    found.push(judgeLayer(edge, target.path), judgeRoom(edge, target.path), judgeListed(workspace, edge));
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

function judgeRoom(edge: Edge, path: string): Violation | undefined {
  const [from, to] = [toRoom(edge.from), toRoom(path)];
  if (!from || !to || from.base !== to.base || to.room <= from.room) return undefined;
  const name = (room: number) => rooms[from.base]?.[room];
  const message = `${name(from.room)} comes before ${name(to.room)} in ${from.base} and must not import it (${path})`;
  return from.room < 0 ? undefined : violate(edge, 'room', message);
}

function judgeHome(edge: Edge, library: string): Violation | undefined {
  const allowed = toHomes(library);
  if (!allowed && library.startsWith('node:')) return undefined;
  if (!allowed) return violate(edge, 'home', `${library} has no home yet; give it one in ${rulesPath}`);
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
  return [...workspace.sources.keys()].flatMap((path): Violation[] => {
    const unknown = (rule: 'layer' | 'room', name: string) => {
      return {
        path,
        line: 1,
        rule,
        message: `${name} is no ${rule}; enter it in ${rulesPath} or move the file`,
      };
    };
    if (!Object.hasOwn(mayImport, toLayer(path))) return [unknown('layer', toLayer(path))];
    return toRoom(path)?.room === -1 ? [unknown('room', dirname(path))] : [];
  });
}

/** What the rule names and the repository does not have: layers, rooms, files and libraries. */
export function findUnusedNames(files: readonly SourceFile[]): Violation[] {
  const workspace = toWorkspace(files);
  const sources = [...workspace.sources.values()];
  const layers = new Set(sources.map(({ path }) => toLayer(path)));
  const folders = new Set(sources.map(({ path }) => dirname(path)));
  const libraries = new Set(
    sources.flatMap(({ path, text }) =>
      findImports(text).map((found) => toLibrary(workspace, path, found.specifier)),
    ),
  );
  const exists = (name: string) => files.some(({ path }) => path === name || path.startsWith(`${name}/`));
  const isUsed = (pattern: string) =>
    [...libraries].some((name) => name !== undefined && matches(pattern, name));
  const named = [
    ...Object.entries(mayImport)
      .flatMap(([layer, others]) => [layer, ...others])
      .concat([...browserSafe])
      .filter((layer) => !layers.has(layer)),
    ...Object.entries(rooms).flatMap(([base, names]) =>
      names.map((name) => (name === '.' ? base : `${base}/${name}`)).filter((room) => !folders.has(room)),
    ),
    ...[
      ...homes.flatMap((home) => home.in),
      ...processStarters,
      ...appOpeners,
      ...Object.keys(opensByPath),
    ].filter((name) => !exists(name)),
    ...homes.flatMap((home) => home.libraries).filter((pattern) => !isUsed(pattern)),
  ];
  return [...new Set(named)].map((name) => ({
    path: rulesPath,
    line: 1,
    rule: 'unused',
    message: `${name} is named here and does not exist`,
  }));
}

function toLibrary(workspace: Workspace, path: string, specifier: string | undefined): string | undefined {
  const target = specifier === undefined ? undefined : toTarget(workspace, path, specifier);
  return target?.kind === 'library' || target?.kind === 'builtin' ? target.name : undefined;
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
  const files = readFiles(paths);
  const found = [...findViolations(files), ...findUnusedNames(files)];
  for (const { path, line, rule, message } of found) console.error(`${path}:${line} ${rule}: ${message}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
