// A shell and git for a process of an engine, which run each command where it reaches what the session may. They are
// scripts in a folder of their own in the home. The process sees it, the commands do not.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open as fsOpen, mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { OpenShell } from '@toolyard/sdk';
import { isInside } from '../core/lib/is-inside.ts';
import type { Logger } from '../core/lib/ports.ts';
import { secretNames } from '../core/protected-paths/protected-names.ts';
import { type OpenFolder, openFolder, readText, requireFolder } from '../untrusted-files/untrusted-files.ts';
import { copySystemSettings, toConfinedOptions, toMountedPath } from './confined-view.ts';
import { defaultPath } from './environment.ts';
import { findExecutable } from './executable.ts';
import { forwarder, type NetworkProxy, openNetworkProxy, proxyAddress } from './network-proxy.ts';
import type { ProcessTable } from './process-table.ts';

/** Bubblewrap closes what it reads its options from. */
const optionsDescriptor = 9;

/**
 * Named `bash` or `git`, it runs what it is named after. What must stay as it is in a workspace is looked at for each
 * command, because it comes and goes: what is there is bound read-only, what is not is made, bound and later removed by
 * the server. Nothing that a command could have placed is followed: see `gate`.
 */
const script = (programs: Record<'bash' | 'git' | 'bubblewrap', string>) => `#!/bin/bash -p
# Made by Toolyard: runs a command of an agent where it reaches what its session may.
PATH=/usr/bin:/bin
shopt -s nullglob
name=\${0##*/} here=\${0%/bin/*}
if [ "$name" = git ]; then program=${quote(programs.git)}; else program=${quote(programs.bash)}; fi
[ -e "$here/free" ] && exec "$program" "$@"
refuse() { printf 'toolyard: the command was not run: %s\\n' "$*" >&2; exit 126; }
[ -e "$here/refusal" ] && refuse "$(<"$here/refusal")"
[ -e "$here/view" ] || refuse 'its session has not said what it may reach.'
words=() expected=()
declare -A secret
while IFS= read -rd '' each; do secret[$each]=1; done < "$here/secrets"
stay() { # path, its place on the disk, what it holds when it has to be made
  [ "\${secret[$1]}" ] && return
  [ -L "$1" ] && refuse "$1 is a link, which cannot be protected. Put what it leads to in its place, or remove it."
  if [ ! -e "$1" ]; then
    [ -w "\${1%/*}" ] || return 0
    printf '%s\\0' "$1" >> "$here/made" || refuse 'the home of Toolyard is full.'
    if [ $# = 2 ]; then mkdir "$1" || [ -d "$1" ]; else (set -C; printf "$3" > "$1") || [ -f "$1" ]; fi 2>/dev/null ||
      refuse "$1 is missing and cannot be made, so it cannot be protected."
  fi
  words+=(--ro-bind "$1" "$1") expected+=("$1" "$2")
}
hold() { # a folder that must not be moved, with what stays in it
  [ -L "$1" ] && refuse "$1 is a link, which cannot be protected. Put what it leads to in its place, or remove it."
  words+=(--bind "$1" "$1") expected+=("$1" "$2")
}
repository() { # its folder, and the place of that on the disk
  hold "$1" "$2"
  stay "$1/hooks" "$2/hooks"
  stay "$1/config" "$2/config" ''
  stay "$1/commondir" "$2/commondir" '.\\n'
  local each
  for each in "$1"/{worktrees,modules}{,/*}; do
    if [ -d "$each" ]; then hold "$each" "$2\${each#"$1"}"; fi
  done
  for each in "$1"/worktrees/*/{commondir,gitdir,config.worktree} "$1"/modules/*/{config,hooks,commondir}; do
    if [ -e "$each" ] || [ -L "$each" ]; then stay "$each" "$2\${each#"$1"}"; fi
  done
}
if [ "$name" = git ]; then # the engine itself looks around, and changes nothing
  stay() { :; }
  hold() { words+=(--ro-bind "$1" "$1") expected+=("$1" "$2"); }
fi
while IFS= read -rd '' root && IFS= read -rd '' place; do hold "$root" "$place"; done < "$here/roots"
while IFS= read -rd '' root && IFS= read -rd '' place; do
  for each in .mcp.json .claude .toolyard toolyard.yaml; do stay "$root/$each" "$place/$each"; done
  if [ -d "$root/.git" ] && [ ! -L "$root/.git" ] && [ -e "$root/.git/HEAD" ]; then repository "$root/.git" "$place/.git"
  else stay "$root/.git" "$place/.git"; fi
done < "$here/roots"
while IFS= read -rd '' root && IFS= read -rd '' place; do repository "$root" "$place"; done < "$here/repositories"
for each in "\${!secret[@]}"; do
  if [ -d "$each" ]; then words+=(--tmpfs "$each"); elif [ -e "$each" ]; then words+=(--ro-bind /dev/null "$each"); fi
done
cd -P . || refuse 'its directory is gone.'
exec -c ${quote(programs.bubblewrap)} --args ${optionsDescriptor} "\${words[@]}" --remount-ro / --chdir "$PWD" \\
  -- /bin/bash -p -c ${quote(gate)} toolyard "\${#expected[@]}" "\${expected[@]}" "$program" "$@" ${optionsDescriptor}<"$here/view"
`;

/**
 * Inside: whoever swapped a folder for a link between the look and the binding would have another place bound. The
 * kernel says what was bound, so that is compared before the command runs.
 */
const gate = `declare -A bound
plain() { # as the kernel writes a path: four characters are numbers
  REPLY=\${1//'\\040'/ }; REPLY=\${REPLY//'\\011'/$'\\t'}; REPLY=\${REPLY//'\\012'/$'\\n'}; REPLY=\${REPLY//'\\043'/#}
  REPLY=\${REPLY//'\\134'/'\\'}
}
while read -r _ _ _ root point _; do plain "$root"; root=$REPLY; plain "$point"; bound[$REPLY]=$root
done < /proc/self/mountinfo
count=$1; shift
for ((i = 0; i < count; i += 2)); do
  if [ "\${bound[$1]}" != "$2" ]; then
    printf 'toolyard: the command was not run: %s was moved or replaced meanwhile.\\n' "$1" >&2; exit 126
  fi
  shift 2
done
unset bound; unset -f plain
[ -S /run/toolyard/proxy.sock ] && read -r _ < <(exec /run/node /run/toolyard/forward.mjs </dev/null 2>/dev/null)
ulimit -c 0; ulimit -u 4096 2>/dev/null
exec "$@"`;

export interface ShellsDeps {
  /** The home's real path. */
  home: string;
  /** The server's environment: PATH, HOME and a few harmless words of it are passed on. */
  env: NodeJS.ProcessEnv;
  /** Where bubblewrap is, once it was seen to work. */
  findBubblewrap(): Promise<string | undefined>;
  table: ProcessTable;
  logger: Logger;
}

/** One for each process of an engine. Only for who owns the home: what an earlier server left is removed. */
export async function createShells({ home, env, findBubblewrap, table, logger }: ShellsDeps) {
  const shells = await requireFolder(join(home, 'shells'));
  const temporaries = await requireFolder(join(home, 'temporary'));
  /** Roots in which commands are being run, by the shell that runs them. */
  const used = new Map<string, readonly string[]>();
  const complain = (cause: unknown) =>
    logger.warn('could not remove what commands left in the home', { cause });
  for (const name of await shells.folder.names()) await remove(name).catch(complain);
  for (const name of await temporaries.folder.names())
    await temporaries.folder.removeTree(name).catch(complain);

  /** What was made in a workspace only to be protected goes when nobody's protection rests on it any more. */
  async function removePlaceholders(name: string): Promise<void> {
    // A shell in use may add to its list at any moment.
    if (used.has(name)) return;
    const file = join(shells.path, name, 'made');
    const made = await readFile(file, 'utf8').catch(() => '');
    if (made === '') return;
    const paths = [...new Set(made.split('\0').filter((each) => each !== ''))];
    const inUse = [...used.values()].flat();
    const isNeeded = (path: string) => inUse.some((root) => isInside(path, root));
    for (const path of paths.filter((each) => !isNeeded(each)))
      await removeMade(path).catch((cause) => logger.warn('could not remove a placeholder', { path, cause }));
    await writeFile(
      file,
      paths
        .filter(isNeeded)
        .map((path) => `${path}\0`)
        .join(''),
    );
  }

  async function remove(name: string): Promise<void> {
    await removePlaceholders(name);
    await shells.folder.removeTree(name);
  }

  /** The first process of its namespace and the engine's program are there as long as it is. */
  async function isAlone(pid: number): Promise<boolean> {
    const [first, ...others] = await table.childrenOf(pid);
    if (!first || others.length > 0) return others.length === 0;
    const below = await table.childrenOf(first.pid);
    const deeper = await Promise.all(below.map((each) => table.childrenOf(each.pid)));
    return below.length <= 1 && deeper.every((each) => each.length === 0);
  }

  const settings = join(shells.path, 'etc');
  let copied: Promise<void> | undefined;

  const open: OpenShell = async () => {
    const bubblewrap = await findBubblewrap();
    if (bubblewrap === undefined) return undefined;
    copied ??= copySystemSettings(settings).catch((thrown) => {
      copied = undefined;
      throw thrown;
    });
    await copied;
    const id = randomUUID();
    const folder = join(shells.path, id);
    const git = await findExecutable('git', `/usr/bin:/bin:${env.PATH ?? defaultPath}`, '/');
    await mkdir(join(folder, 'bin'), { recursive: true, mode: 0o700 });
    const programs = { bubblewrap, bash: '/bin/bash', git: 'path' in git ? git.path : '/usr/bin/git' };
    await writeFile(join(folder, 'bin', 'bash'), script(programs), { mode: 0o500 });
    await symlink('bash', join(folder, 'bin', 'git'));
    await writeFile(join(folder, 'made'), '');
    await mkdir(join(folder, 'net'));
    let proxy: NetworkProxy | undefined;
    let roots: readonly string[] = [];
    return {
      bin: join(folder, 'bin'),
      shown: [
        { path: folder, access: 'read' },
        { path: join(folder, 'made'), access: 'write' },
        { path: settings, access: 'read' },
        { path: temporaries.path, access: 'write' },
      ],
      async allow(sessionId, bounds) {
        if (bounds === 'everything') return writeFile(join(folder, 'free'), '');
        if ('refusal' in bounds) return writeFile(join(folder, 'refusal'), bounds.refusal);
        const real = await Promise.all(bounds.roots.map((root) => realpath(root).catch(() => undefined)));
        // Those around others first: a folder in one that is named itself is protected itself.
        roots = [...new Set(real.filter((root) => root !== undefined))].sort((a, b) => a.length - b.length);
        if (roots.includes('/')) return writeFile(join(folder, 'refusal'), tooWide);
        const repositories = (await Promise.all(roots.map(findRepository))).filter(
          (each) => each !== undefined,
        );
        const userHome = await findUserHome(env);
        const temporary = await requireTemporary(temporaries, sessionId, userHome);
        await proxy?.close();
        proxy = undefined;
        const hasNetwork = bounds.hosts.length > 0;
        if (hasNetwork) {
          await writeFile(join(folder, 'net', 'forward.mjs'), forwarder);
          proxy = await listen(join(folder, 'net'), bounds.hosts);
        }
        const options = toConfinedOptions({
          roots,
          temporary,
          settings,
          userHome,
          env: { ...toCommandEnvironment(env), ...(hasNetwork && networkEnvironment) },
        });
        const secrets = [home, ...secretNames.map((name) => join(userHome, name))];
        const hidden = secrets.filter((path) => roots.some((root) => isInside(path, root)));
        const network = [
          '--ro-bind',
          join(folder, 'net'),
          '/run/toolyard',
          '--ro-bind',
          process.execPath,
          '/run/node',
        ];
        await writeWhole(folder, 'secrets', hidden);
        await writeWhole(folder, 'roots', toPlaces(roots));
        await writeWhole(folder, 'repositories', toPlaces(repositories));
        await writeWhole(folder, 'view', [...options, ...(hasNetwork ? network : [])]);
      },
      begin: () => void used.set(id, roots),
      async rest(pid) {
        if (!(await isAlone(pid))) return;
        used.delete(id);
        // Another may have waited for this one.
        for (const name of await shells.folder.names()) await removePlaceholders(name);
      },
      async close() {
        used.delete(id);
        await proxy?.close();
        for (const name of await shells.folder.names()) await removePlaceholders(name);
        await remove(id).catch(complain);
      },
    };
  };
  return {
    open,
    async close() {
      await shells.folder[Symbol.asyncDispose]();
      await temporaries.folder[Symbol.asyncDispose]();
    },
  };
}

const tooWide =
  'the workspace is the whole disk. Work in a folder, or set `workspace.security: full-control`.';

/** Services often have none, or `/`. */
async function findUserHome({ HOME }: NodeJS.ProcessEnv): Promise<string> {
  const found = await realpath(HOME || '/root').catch(() => '/root');
  return found === '/' ? '/root' : found;
}

function toPlaces(paths: readonly string[]): string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  return paths.flatMap((path) => [path, toMountedPath(path, mounts)]);
}

/** At once or not at all: a command that reads half of it would see more than it should. */
async function writeWhole(folder: string, name: string, words: readonly string[]): Promise<void> {
  const temporary = join(folder, `${name}.new`);
  await writeFile(temporary, words.map((word) => `${word}\0`).join(''), { mode: 0o600 });
  await rename(temporary, join(folder, name));
}

async function requireTemporary(
  { folder: parent, path }: { folder: OpenFolder; path: string },
  sessionId: string,
  userHome: string,
): Promise<string> {
  const isNew = !(await parent.stat(sessionId));
  await using folder = await parent.requireFolder(sessionId);
  await using _tmp = await folder.requireFolder('tmp');
  await using home = await folder.requireFolder('home');
  if (isNew) await home.writeText('.gitconfig', await readIdentity(userHome));
  return join(path, sessionId);
}

/** Who commits: the name and the address of the person, and nothing else of their settings. */
async function readIdentity(userHome: string): Promise<string> {
  const files = ['.config/git/config', '.gitconfig'].map((name) => join(userHome, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const [, section = ''] = /.*\[user\]([^[]*)/s.exec(texts.join('\n')) ?? [];
  const lines = section.match(/^[ \t]*(?:name|email)\s*=.*$/gim) ?? [];
  return ['[user]', ...lines, '[safe]', 'directory = *', ''].join('\n');
}

/**
 * The repository that a working tree elsewhere belongs to. Each must name the other: a `.git` that came with a
 * hostile archive could name any repository of the person's.
 */
async function findRepository(root: string): Promise<string | undefined> {
  const pointer = await readText(join(root, '.git'), 4_096).catch(() => undefined);
  const [, own] = /^gitdir: (.+)\n?$/.exec(pointer ?? '') ?? [];
  if (own === undefined) return undefined;
  const folder = await realpath(resolve(root, own)).catch(() => '');
  const repository = dirname(dirname(folder));
  if (basename(dirname(folder)) !== 'worktrees' || isInside(repository, root)) return undefined;
  const back = (await readText(join(folder, 'gitdir'), 4_096).catch(() => undefined))?.trimEnd();
  const common = (await readText(join(folder, 'commondir'), 4_096).catch(() => undefined))?.trimEnd();
  const isMutual = back !== undefined && resolve(folder, back) === join(root, '.git');
  return isMutual && common !== undefined && resolve(folder, common) === repository ? repository : undefined;
}

/** An empty folder, or a file with no more in it than we put there. */
async function removeMade(path: string): Promise<void> {
  await using folder = await openFolder(dirname(path));
  const found = await folder.stat(basename(path));
  // Somebody may have put something into it meanwhile.
  if (found?.isDirectory()) await folder.removeEmptyFolder(basename(path)).catch(() => {});
  if (
    found?.isFile() &&
    ['', '.\n'].includes((await folder.readText(basename(path), 2).catch(() => 'x')) ?? 'x')
  )
    await folder.removeFile(basename(path));
}

/** By a short path: that of a socket may have about a hundred characters. */
async function listen(folder: string, hosts: readonly string[]): Promise<NetworkProxy> {
  await rm(join(folder, 'proxy.sock'), { force: true });
  await using handle = await fsOpen(folder, 'r');
  return openNetworkProxy(`/proc/self/fd/${handle.fd}/proxy.sock`, hosts);
}

const networkEnvironment = {
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
      name,
      proxyAddress,
    ]),
  ),
  NO_PROXY: '',
  no_proxy: '',
  NODE_USE_ENV_PROXY: '1',
};

function toCommandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const passed = ['PATH', 'LANG', 'LC_ALL', 'TERM', 'TZ', 'USER'].flatMap((name) =>
    env[name] ? [[name, env[name]]] : [],
  );
  const rustup = env.RUSTUP_HOME ?? (env.HOME && join(env.HOME, '.rustup'));
  return {
    PATH: defaultPath,
    ...Object.fromEntries(passed),
    SHELL: '/bin/bash',
    // As the CLI says it to its own commands.
    CLAUDECODE: '1',
    GIT_EDITOR: 'true',
    ...(rustup && { RUSTUP_HOME: rustup }),
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
