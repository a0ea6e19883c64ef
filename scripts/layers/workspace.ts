// Where an import leads: a file of ours, an outside library, or a module of Node's.
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { isSource, type SourceFile } from '../source/repository.ts';

export type Target =
  | { kind: 'file'; path: string; through: 'path' | 'name' }
  | { kind: 'library'; name: string }
  | { kind: 'builtin'; name: string }
  /** A path inside one of our packages that its package.json does not offer. */
  | { kind: 'hidden'; name: string };

export interface Package {
  folder: string;
  name: string;
  dependencies: ReadonlySet<string>;
  /** Offered subpath (`.` is the package itself) to its source file. */
  entries: ReadonlyMap<string, string>;
}

export interface Workspace {
  sources: ReadonlyMap<string, SourceFile>;
  packages: readonly Package[];
}

export function toWorkspace(files: readonly SourceFile[]): Workspace {
  const manifests = files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file.path));
  return {
    sources: new Map(files.filter((file) => isSource(file.path)).map((file) => [file.path, file])),
    packages: manifests.map(toPackage),
  };
}

export function toTarget(workspace: Workspace, importer: string, specifier: string): Target {
  if (specifier.startsWith('.')) {
    return { kind: 'file', path: posix.join(posix.dirname(importer), specifier), through: 'path' };
  }
  if (isBuiltin(specifier)) return { kind: 'builtin', name: `node:${specifier.replace(/^node:/, '')}` };
  const name = toPackageName(specifier);
  const ours = workspace.packages.find((candidate) => candidate.name === name);
  if (!ours) return { kind: 'library', name };
  const entry = ours.entries.get(`.${specifier.slice(name.length)}`);
  return entry ? { kind: 'file', path: entry, through: 'name' } : { kind: 'hidden', name };
}

/** The folder of the package a path lies in. */
export function toPackageFolder(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function toPackageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  exports?: Record<string, { 'toolyard-source'?: string }>;
}

function toPackage(file: SourceFile): Package {
  const folder = toPackageFolder(file.path);
  // Our own package.json, whose few fields npm and Node have already judged.
  const manifest = JSON.parse(file.text) as Manifest;
  const entries = Object.entries(manifest.exports ?? {}).flatMap(
    ([subpath, { 'toolyard-source': source }]) =>
      source ? [[subpath, posix.join(folder, source)] as const] : [],
  );
  return {
    folder,
    name: manifest.name,
    entries: new Map(entries),
    dependencies: new Set(
      Object.keys({
        ...manifest.dependencies,
        ...manifest.peerDependencies,
        ...manifest.optionalDependencies,
      }),
    ),
  };
}
