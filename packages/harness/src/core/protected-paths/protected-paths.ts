// Classifies a path that a call would touch: never, only with a person's knowledge, in the workspace or outside it.
// By name and by where links lead now. The effect happens later and in another process, so this is the ground for
// asking and refusing and no boundary: what must hold against a race is the sandbox's to hold.
import { lstatSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { findSecret, foldPath, type TouchedPath } from '@toolyard/sdk';
import { toRealPath } from '../files/real-path.ts';
import { toPathVariants } from './path-variants.ts';
import {
  findAutoRun,
  findProtected,
  isBelow,
  isKernelPath,
  type KnownFolders,
  personalNames,
  protectedPlaces,
} from './protected-names.ts';

export type PathVerdict =
  /** Holds in every mode. */
  | { kind: 'denied'; rule: string }
  /** A person should know of it. */
  | { kind: 'ask'; rule: string }
  | { kind: 'outside' }
  | { kind: 'inside' };

export interface PathContext {
  /** Where relative paths begin. */
  cwd: string;
  workspace: string;
  /** TOOLYARD_HOME. */
  home: string;
  /** The person's home directory. */
  userHome: string;
  /** Folders that count like the workspace. */
  roots: readonly string[];
}

/** The places of `Within` as written and without links. */
interface Places {
  inside: string[];
  homes: string[];
  userHomes: string[];
  /** The home's place on the disk. */
  homeIds: string[];
  knownFolders: KnownFolders;
  /** Where the person's own protected files really are: many keep them in a repository, behind links. */
  personalTargets: string[];
}

const order = ['denied', 'ask', 'outside', 'inside'] as const;
const linkCycle: PathVerdict = { kind: 'denied', rule: 'a circle of links' };

/** The strictest verdict over all that the text may mean. Never throws. */
export async function judgePath({ path, access }: TouchedPath, context: PathContext): Promise<PathVerdict> {
  const variants = toPathVariants(path, context.userHome, { isPattern: access === 'read' });
  if (!variants) return { kind: 'denied', rule: 'a path or pattern too long to judge' };
  if (variants.some((variant) => variant.includes('\0')))
    return { kind: 'denied', rule: 'a path with a NUL character' };
  const places = await toPlaces(context, access);
  const verdicts = await Promise.all(
    variants.map((variant) => judgeVariant(variant, access, context.cwd, places)),
  );
  return toStrictest(verdicts);
}

function toStrictest(verdicts: readonly PathVerdict[]): PathVerdict {
  const kind = order.find((each) => verdicts.some((verdict) => verdict.kind === each));
  return verdicts.find((verdict) => verdict.kind === kind) ?? { kind: 'outside' };
}

async function judgeVariant(
  variant: string,
  access: TouchedPath['access'],
  cwd: string,
  places: Places,
): Promise<PathVerdict> {
  const written = resolve(cwd, variant);
  const byName = judgeName(written, access, places);
  // Not followed: what the kernel shows there is another for each process that looks.
  if (byName.kind === 'denied') return byName;
  // `a/../b` means one thing to who shortens it first and another to who follows the link `a`.
  const asFollowed = isAbsolute(variant) ? variant : `${cwd}${sep}${variant}`;
  const leads = await Promise.all([...new Set([written, asFollowed])].map(toRealPath));
  const verdicts = leads.map(async (real): Promise<PathVerdict> => {
    if (real === undefined) return linkCycle;
    const byPlace = judgeName(real, access, places);
    if (byPlace.kind === 'denied') return byPlace;
    return toStrictest([byPlace, ...(await judgeFile(real, places))]);
  });
  return toStrictest([byName, ...(await Promise.all(verdicts))]);
}

function judgeName(path: string, access: TouchedPath['access'], places: Places): PathVerdict {
  const folded = foldPath(path);
  if (places.homes.some((home) => isBelow(folded, foldPath(home)))) return inHome;
  if (isKernelPath(folded, access)) return special;
  if (access === 'write') {
    const named = findProtected(folded, places.knownFolders);
    if (named) return toProtected(named);
    if (places.personalTargets.some((target) => isBelow(folded, target)))
      return toProtected('what a link in ~ leads to');
    const soon = findAutoRun(folded, places.knownFolders);
    if (soon) return { kind: 'ask', rule: `${soon} may be run by other programs` };
  } else {
    const secret = findSecret(path);
    if (secret) return { kind: 'ask', rule: `${secret} is likely to hold secrets` };
  }
  return { kind: places.inside.some((root) => isInside(path, root)) ? 'inside' : 'outside' };
}

const inHome: PathVerdict = { kind: 'denied', rule: "Toolyard's own home is protected" };
const special: PathVerdict = { kind: 'denied', rule: 'a device, pipe or process file' };

function toProtected(name: string): PathVerdict {
  return { kind: 'denied', rule: `${name} is protected` };
}

/**
 * What only the disk can tell: a special file, the home under another name (a second mount, a short name), or a file
 * that has a protected name as well.
 */
async function judgeFile(real: string, places: Places): Promise<PathVerdict[]> {
  for (const path of toAncestors(real)) {
    const found = await inspect(path);
    if (!found) return [];
    if (places.homeIds.includes(found.id)) return [inHome];
    if (!found.isPlain) return [special];
    const name = found.hasOtherNames ? await findOtherName(path, found.id, places) : undefined;
    if (name && places.homes.some((home) => isInside(name, home))) return [inHome];
    if (name) return [{ kind: 'ask', rule: `it is the same file as ${name}, which is protected` }];
  }
  return [];
}

/** Bounds the search for the other names of a file, in each place. */
const maxFilesOfPlace = 1_000;

/** The protected file that this one is by another name, if it is one. Those deep inside of repositories are not sought. */
async function findOtherName(
  path: string,
  id: string,
  { homes, inside, userHomes }: Places,
): Promise<string | undefined> {
  const places = [
    ...homes.flatMap((home) => ['.', 'roles', 'backups'].map((name) => join(home, name))),
    ...inside.flatMap((root) => protectedPlaces.map((name) => join(root, name))),
    ...userHomes.flatMap((home) => personalNames.map((name) => join(home, name))),
  ];
  for (const place of places) {
    const names = await readdir(place).catch(() => undefined);
    const files = names ? names.map((name) => join(place, name)) : [place];
    for (const file of files.slice(0, maxFilesOfPlace)) {
      if ((await inspect(file))?.id === id && (await toRealPath(file)) !== path) return file;
    }
  }
  return undefined;
}

/** From the root down to the path itself. */
function* toAncestors(path: string): Generator<string> {
  const { root } = parse(path);
  yield root;
  for (let end = path.indexOf(sep, root.length); end !== -1; end = path.indexOf(sep, end + 1)) {
    yield path.slice(0, end);
  }
  if (path !== root) yield path;
}

interface Inspected {
  id: string;
  isPlain: boolean;
  /** A file that has another name somewhere. */
  hasOtherNames: boolean;
}

async function inspect(path: string): Promise<Inspected | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    return {
      id: `${stats.dev} ${stats.ino}`,
      isPlain: stats.isFile() || stats.isDirectory(),
      hasOtherNames: stats.isFile() && stats.nlink > 1n,
    };
  } catch {
    return undefined;
  }
}

async function toPlaces(context: PathContext, access: TouchedPath['access']): Promise<Places> {
  const { workspace, roots, home, userHome } = context;
  const [inside, homes, userHomes] = await Promise.all([
    toBoth([workspace, ...roots]),
    toBoth([home]),
    toBoth([userHome]),
  ]);
  const found = await Promise.all(homes.map(inspect));
  const homeIds = found.flatMap((each) => (each ? [each.id] : []));
  const personalTargets = access === 'write' ? await toPersonalTargets(userHome) : [];
  const knownFolders = { roots: inside.map(foldPath), userHomes: userHomes.map(foldPath) };
  return { inside, homes, userHomes, homeIds, knownFolders, personalTargets };
}

async function toBoth(paths: readonly string[]): Promise<string[]> {
  const written = paths.map((path) => resolve(path));
  const real = await Promise.all(written.map(toRealPath));
  return [...new Set([...written, ...real.filter((path) => path !== undefined)])];
}

async function toPersonalTargets(userHome: string): Promise<string[]> {
  const links = personalNames.map((name) => join(userHome, name)).filter(isLink);
  const targets = await Promise.all(links.map(toRealPath));
  return targets.filter((target) => target !== undefined).map(foldPath);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}
