// What a command of an agent sees: the system and the tools of its person to read, the workspace and a temporary folder
// to write, and nothing else. The rest of the computer is not there, so nothing has to be forbidden.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside } from '../core/lib/is-inside.ts';

export interface ConfinedView {
  /** A folder of the session: its `/tmp` and its home directory are in there. */
  temporary: string;
  /** Real paths of the folders that it may write to. */
  roots: readonly string[];
  /** What `copySystemSettings` made. */
  settings: string;
  /** The person's home directory, where the session has an empty one. */
  userHome: string;
  env: Readonly<Record<string, string>>;
}

/** Where a command has its home directory and its temporary folder. */
const ownFolder = '/run/session';

const systemFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Of `/etc`, what programs need to work. Keys and passwords of the computer are there as well. */
const systemSettings = [
  ...['ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'ssl/openssl.cnf', 'pki/tls/openssl.cnf'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'locale.alias', 'locale.conf', 'localtime', 'timezone'],
  ...['passwd', 'group', 'nsswitch.conf', 'hosts', 'host.conf', 'protocols', 'services', 'resolv.conf'],
  ...['profile', 'profile.d', 'bash.bashrc', 'inputrc', 'shells', 'terminfo', 'magic', 'mime.types'],
  ...['debian_version', 'lsb-release', 'os-release', 'redhat-release', 'alpine-release', 'fonts'],
  ...['java', 'java-11-openjdk', 'java-17-openjdk', 'java-21-openjdk', 'maven', 'gradle', 'perl', 'php'],
  ...['python', 'python3', 'R', 'ghc', 'lua', 'emacs', 'vim', 'papersize', 'xml', 'sgml', 'texmf'],
];

/** Large ones are bound as they are. */
const boundSettings = ['alternatives', 'ssl/certs', 'pki/ca-trust/extracted'].filter((name) =>
  existsSync(`/etc/${name}`),
);

/**
 * The others, in a folder of ours: a mount for each costs a command ten milliseconds. Only what every user may read, for
 * as root a command could read the rest, too. Links stay links.
 */
export async function copySystemSettings(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await Promise.all(systemSettings.map((name) => copyCommon(`/etc/${name}`, join(folder, name))));
  for (const name of boundSettings) await mkdir(join(folder, name), { recursive: true });
}

async function copyCommon(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found?.isSymbolicLink()) return symlink(await readlink(from), to).catch(ignoreExisting);
  if (!found || (found.mode & 0o004) === 0) return;
  if (found.isFile()) {
    await mkdir(dirname(to), { recursive: true });
    return copyFile(from, to);
  }
  if (!found.isDirectory()) return;
  await mkdir(to, { recursive: true });
  await Promise.all((await readdir(from)).map((name) => copyCommon(join(from, name), join(to, name))));
}

function ignoreExisting(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'EEXIST') throw thrown;
}

/** Below the person's home directory: where programs are installed, and no keys are. */
const toolFolders = [
  ...['.asdf', '.bun', '.cargo/bin', '.deno', '.fnm', '.juliaup', '.local/bin', '.local/lib', '.local/pipx'],
  ...['.local/share/fnm', '.local/share/mise', '.local/share/pipx', '.local/share/pnpm', '.local/share/uv'],
  ...['.nodenv', '.nvm', '.nix-profile', '.opam', '.pyenv', '.rbenv', '.rustup', '.rvm', '.sdkman', '.volta'],
  ...['go', 'bin', 'miniconda3', 'anaconda3'],
];

/** Options for bubblewrap, up to the workspace: that is looked at for each command. */
export function toConfinedOptions(view: ConfinedView): string[] {
  const { temporary, userHome, env } = view;
  const tools = [...toToolFolders(userHome), ...toPathFolders(env.PATH ?? '', userHome)].filter((path) =>
    existsSync(path),
  );
  const hasOwnTmp = ![...view.roots, ...tools, userHome].some((path) => isInside(path, '/tmp'));
  return [
    ...['--unshare-user', '--unshare-ipc', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--cap-drop', 'ALL', '--die-with-parent'],
    ...['--ro-bind', '/usr', '/usr'],
    ...systemFolders.flatMap(toSystemFolder),
    ...['/opt', '/nix', '/snap', '/home/linuxbrew'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', view.settings, '/etc'],
    ...boundSettings.flatMap((name) => ['--ro-bind', `/etc/${name}`, `/etc/${name}`]),
    ...['--ro-bind', '/proc', '/proc', '--dev', '/dev'],
    ...[
      '--bind',
      join(temporary, 'tmp'),
      `${ownFolder}/tmp`,
      '--bind',
      join(temporary, 'home'),
      `${ownFolder}/home`,
    ],
    // Bubblewrap finds the workspace by its path: nothing on the way may be what an earlier command has written.
    ...(hasOwnTmp ? ['--bind', join(temporary, 'tmp'), '/tmp'] : ['--tmpfs', '/tmp']),
    ...['--symlink', '/tmp', '/var/tmp', '--dir', userHome],
    ...tools.flatMap((path) => ['--ro-bind-try', path, path]),
    '--clearenv',
    ...Object.entries({ ...env, HOME: `${ownFolder}/home`, TMPDIR: `${ownFolder}/tmp` }).flatMap((pair) => [
      '--setenv',
      ...pair,
    ]),
  ];
}

function toSystemFolder(name: string): string[] {
  const path = `/${name}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function toToolFolders(userHome: string): string[] {
  return toolFolders.map((name) => join(userHome, name));
}

/** What the person's PATH names outside of the system: the folder, or all that was installed with it. */
function toPathFolders(path: string, userHome: string): string[] {
  const folders = path.split(':').filter((folder) => folder.startsWith('/') && !isOfSystem(folder));
  return folders.map((folder) => {
    const around = dirname(folder);
    const isInstalled =
      basename(folder) === '.bin' || (basename(folder) === 'bin' && hasNames(around, ['lib', 'share']));
    return isInstalled && !isInside(userHome, around) ? around : folder;
  });
}

function isOfSystem(folder: string): boolean {
  return ['/usr', '/opt', '/nix', '/snap', ...systemFolders.map((name) => `/${name}`)].some((system) =>
    isInside(folder, system),
  );
}

function hasNames(folder: string, names: readonly string[]): boolean {
  try {
    const found = readdirSync(folder);
    return names.some((name) => found.includes(name));
  } catch {
    return false;
  }
}

/**
 * What the kernel will call a path once it is bound: the path on its own disk. If it is called otherwise, a link was
 * put in its place in between.
 */
export function toMountedPath(path: string, mounts = readFileSync('/proc/self/mountinfo', 'utf8')): string {
  const around = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, , , root, point]) =>
      root && point ? [{ root: fromOctal(root), point: fromOctal(point) }] : [],
    )
    .filter(({ point }) => isInside(path, point))
    .reduce((best, each) => (each.point.length >= best.point.length ? each : best), { root: '', point: '' });
  const rest = path.slice(around.point === '/' ? 0 : around.point.length);
  return `${around.root === '/' ? '' : around.root}${rest}` || '/';
}

function fromOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
