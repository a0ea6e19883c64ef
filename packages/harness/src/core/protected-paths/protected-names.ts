// What no agent may write, in any mode: files that say what agents may do, and files that run by themselves. By name,
// whether they exist or not, so that none can be created either.
import { foldPath } from '@toolyard/sdk';

/** Wherever they are: with everything below when they are folders. */
const namesAnywhere = ['.git', '.claude', '.claude.json', '.toolyard', 'toolyard.yaml', '.mcp.json'];

/** Where protected files of a workspace are, mostly: files, and folders of files. */
export const protectedPlaces: readonly string[] = [
  ...['.git/config', '.git/hooks', '.claude', '.claude/agents', '.toolyard', '.toolyard/roles'],
  ...['toolyard.yaml', '.mcp.json'],
];

/** A repository without a working tree keeps these at its top. */
const inBareRepository = /\.git\/(?:hooks|config)(?:\/|$)/;

/** Programs of others act on these when a folder is opened or a commit is made: a person should know of a change. */
const autoRunNames = ['.husky', '.vscode', '.idea', '.devcontainer', '.envrc', '.gitmodules', '.ripgreprc'];

/** Below the person's home directory: what shells, logins, editors and package managers run or obey. */
export const personalNames: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bashrc.d', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.zsh', '.oh-my-zsh', '.config/zsh'],
  ...['.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login', '.logout', '.config/fish', '.inputrc', '.editrc'],
  ...['.xprofile', '.xinitrc', '.xsession', '.xsessionrc', '.pam_environment', '.config/environment.d'],
  ...[
    '.config/autostart',
    '.config/systemd',
    '.local/share/systemd',
    'Library/LaunchAgents',
    'bin',
    '.local/bin',
  ],
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.kube',
    '.docker',
    '.netrc',
    '.git-credentials',
    '.gitconfig',
    '.config/git',
  ],
  ...[
    '.hgrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pypirc',
    '.config/pip',
    '.cargo/config.toml',
    '.cargo/bin',
  ],
  ...['.curlrc', '.wgetrc', '.vimrc', '.vim', '.exrc', '.config/nvim', '.emacs', '.emacs.d', '.tmux.conf'],
  ...[
    '.claude',
    '.claude.json',
    '.toolyard',
    '.screenrc',
    '.gdbinit',
    '.lldbinit',
    '.Rprofile',
    '.irbrc',
    '.psqlrc',
    '.sqliterc',
    '.vscode-server',
  ],
];

/** Below the person's home directory: keys, logins and conversations. No command of an agent sees them. */
export const secretNames: readonly string[] = [
  ...['.claude', '.claude.json', '.codex', '.cursor', '.gemini', '.config/anthropic', '.config/opencode'],
  ...['.ssh', '.gnupg', '.password-store', '.local/share/keyrings', '.local/share/opencode', '.netrc'],
  ...['.aws', '.azure', '.config/gcloud', '.kube', '.docker', '.terraform.d', '.oci', '.config/doctl'],
  ...['.git-credentials', '.config/git/credentials', '.config/gh', '.config/glab-cli', '.config/hub'],
  ...[
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
  ],
  ...['.m2/settings.xml', '.gradle/gradle.properties', '.config/composer/auth.json', '.pgpass', '.my.cnf'],
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.thunderbird'],
  ...['.bash_history', '.zsh_history', '.local/share/fish/fish_history', '.python_history', '.psql_history'],
];

const systemNames = [
  ...['etc/profile', 'etc/profile.d', 'etc/bash.bashrc', 'etc/bashrc', 'etc/zsh', 'etc/zshrc', 'etc/zshenv'],
  ...['etc/environment', 'etc/crontab', 'etc/cron.d', 'etc/cron.hourly', 'etc/cron.daily', 'etc/cron.weekly'],
  ...['etc/cron.monthly', 'var/spool/cron', 'etc/systemd', 'etc/init.d', 'etc/rc.local', 'etc/ld.so.preload'],
  ...[
    'etc/ld.so.conf',
    'etc/ld.so.conf.d',
    'etc/sudoers',
    'etc/sudoers.d',
    'etc/pam.d',
    'etc/ssh',
    'etc/passwd',
  ],
  ...['etc/shadow', 'etc/group', 'etc/gitconfig', 'Library/LaunchAgents', 'Library/LaunchDaemons'],
  ...['etc/claude-code', 'Library/Application Support/ClaudeCode'],
];

const folded = (paths: readonly string[]) => paths.map(foldPath);
const personalFolded = folded(personalNames);
const systemFolded = folded(systemNames);

/** Folders by which a path is judged; all folded, as written and as resolved. */
export interface KnownFolders {
  roots: readonly string[];
  userHomes: readonly string[];
}

/** The protected name that a write to this path would touch. */
export function findProtected(path: string, { roots, userHomes }: KnownFolders): string | undefined {
  const own = toOwnPart(path, roots);
  const named = namesAnywhere.find((name) => own.split('/').includes(name));
  if (named) return named;
  if (inBareRepository.test(own)) return 'hooks and config of a repository';
  const inHome = personalFolded.find((name) =>
    userHomes.some((home) => isBelow(path, joinFolded(home, name))),
  );
  if (inHome) return `~/${inHome}`;
  const ofClaude = userHomes.map((home) => claudeName(path, home)).find((name) => name !== undefined);
  if (ofClaude) return `~/${ofClaude}`;
  const inSystem = systemFolded.find((name) => isBelow(path, name));
  return inSystem && `/${inSystem}`;
}

/** Beside `.claude.json` its CLI keeps copies, locks and variants of it. */
const claudeFile = /^\.claude(?:[^/]*$|\.json[^/]*\/)/;

function claudeName(path: string, home: string): string | undefined {
  const below = isBelow(path, home) ? path.slice(joinFolded(home, '').length) : '';
  return claudeFile.test(below) ? below.split('/')[0] : undefined;
}

/** The name of something that another program will act on. */
export function findAutoRun(path: string, { roots }: KnownFolders): string | undefined {
  const names = toOwnPart(path, roots).split('/');
  return autoRunNames.find((name) => names.includes(name));
}

/** From the root's own name on: a working tree that someone put below `.claude` or `.git` is still one to work in. */
function toOwnPart(path: string, roots: readonly string[]): string {
  const around = roots.filter((root) => isBelow(path, root)).map((root) => root.lastIndexOf('/') + 1);
  return path.slice(Math.max(0, ...around));
}

function joinFolded(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** What the kernel shows as files: processes with their memory and environment, devices. Takes a folded path. */
export function isKernelPath(path: string, access: 'read' | 'write'): boolean {
  const [top, next = ''] = path.split('/');
  if (top === 'dev') return next !== 'shm';
  if (top === 'proc' && /^(?:\d+|self|thread-self|kcore|kmem|kmsg|keys)$/.test(next)) return true;
  return (top === 'proc' || top === 'sys') && access === 'write';
}

/** The same folder or one below it; both folded. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
