// Which files are likely to hold secrets, by their names alone: the judge asks before one is read, and an engine's search
// passes them by. Looks at no file, so it is a reason to ask and no protection by itself.
import { foldName } from './fold-name.ts';

/** The end of a path, in lower case. `*` stands for anything within a name; a `/` at the end for all of a folder. */
export const secretPaths: readonly string[] = [
  ...['.env', '.env.*', '*.env', '.envrc', '.secrets', '*.tfvars', '*.tfstate'],
  ...[
    'secrets.json',
    'secrets.toml',
    'secrets.yaml',
    'secrets.yml',
    'client_secret*.json',
    'service-account*.json',
  ],
  ...['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk', '*.jks', '*.keystore', '*.kdbx', '*.agekey'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.ssh/', '.gnupg/', '.password-store/'],
  ...[
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.netrc',
    '_netrc',
    '.pgpass',
    '.my.cnf',
    '.htpasswd',
    '.dockercfg',
  ],
  ...['.git-credentials', '.vault-token', '.terraformrc', '.s3cfg', '.boto', '.claude.json', '.*_history'],
  ...['credentials', '*credentials.json', 'credentials.toml', '.codex/auth.json', '.docker/config.json'],
  ...['.aws/', '.azure/', '.kube/', '.terraform.d/', '.config/gcloud/', '.config/gh/', '.config/rclone/'],
  ...['.mozilla/', '.config/google-chrome/', '.config/chromium/', 'library/keychains/', 'share/keyrings/'],
  ...['etc/shadow', 'etc/gshadow'],
];

/** What is written to be shown. */
const harmless = /\.(?:example|sample|template|dist|pub)$/;
const expressions = secretPaths.map((pattern) => ({ pattern, fits: toExpression(pattern) }));

/**
 * The pattern by which a path names a likely secret. The path may itself be the pattern of a search: `.env*` and a
 * `*.pem` in any folder name secrets, `*` names nothing.
 */
export function findSecret(path: string): string | undefined {
  const examples = toExamples(path.split(/[\\/]/).map(foldName).join('/'));
  const suspect = examples.filter((example) => !harmless.test(example));
  return expressions.find(({ fits }) => suspect.some((example) => fits.test(example)))?.pattern;
}

/** The same as globs that do not care for case, for a search to leave out. */
export const secretGlobs: readonly string[] = secretPaths.map((pattern) => {
  const everywhere = /\/./.test(pattern) ? `**/${pattern}` : pattern;
  const glob = everywhere.replace(/\/$/, everywhere === pattern ? '' : '/**');
  return glob.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
});

/** The path itself, and the simplest paths that it fits as a pattern. */
function toExamples(path: string): string[] {
  if (!/[*?[]/.test(path)) return [path];
  const plain = path.replace(/\[([^\][!^])[^\][]*\]/g, '$1').replaceAll('?', 'x');
  return [path, plain.replace(/\*+/g, ''), plain.replace(/\*+/g, 'x')];
}

function toExpression(pattern: string): RegExp {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`(?:^|/)${source.endsWith('/') ? `${source.slice(0, -1)}(?:/|$)` : `${source}$`}`);
}
