// Takes secrets out of what is written down (the log, traces, the audit): by the name of a key, by the value of secrets
// we know, and by what secrets look like. The only place that does.
import { redacted, redactSecretPatterns } from './secret-patterns.ts';

export { redacted } from './secret-patterns.ts';

const secretName =
  /pass(word|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;
/** Variables are named more freely, and hold no counts. */
const secretVariable = /(?:^|_)(?:KEY|PAT|PASSWD|DSN|AUTH)$|_PWD$/i;
const minSecretLength = 8;

export type Redact = (value: unknown) => unknown;

/** Knows the values of every variable of the environment that is named like a secret, and those given. */
export function createRedact(env: NodeJS.ProcessEnv, more: readonly string[] = []): Redact {
  const secrets = toSpellings([...findSecrets(env), ...more]);

  function redactText(text: string): string {
    return redactSecretPatterns(secrets.reduce((shown, secret) => shown.replaceAll(secret, redacted), text));
  }

  function redact(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > 100) return redacted;
    if (isSecretPair(value)) return [redactText(value[0]), redacted];
    if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        redactText(key),
        isSecret(key, each) ? redacted : redact(each, depth + 1),
      ]),
    );
  }
  return (value) => redact(value);
}

function findSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && (secretName.test(name) || secretVariable.test(name)) ? value : [],
  );
}

/** As they stand in a text, on one line of it, in an address and in JSON. The longest first: one may begin with another. */
function toSpellings(secrets: readonly string[]): string[] {
  const spellings = secrets
    .filter(({ length }) => length >= minSecretLength)
    .flatMap((secret) => [
      secret,
      toLine(secret),
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ])
    .filter(({ length }) => length >= minSecretLength);
  return [...new Set(spellings)].sort((one, other) => other.length - one.length);
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** As headers are often kept: `['authorization', '…']`. */
function isSecretPair(value: object): value is [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, text]: unknown[] = value;
  return (
    typeof name === 'string' && /^[\w-]{1,64}$/.test(name) && typeof text === 'string' && isSecret(name, text)
  );
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return false;
  // `pwd` is more often a directory.
  if (/(?:^|[-_])pwd$/i.test(name) && typeof value === 'string') return !/^(?:[/.~$]|[a-z]:|$)/i.test(value);
  if (!secretName.test(name)) return false;
  // `max_tokens: 4096` is a count.
  return !(typeof value === 'number' && /tokens$/i.test(name));
}

const maxCauses = 4;
const maxTextLength = 2_000;

/** What was thrown, for a person: each cause behind it, without secrets and without bulk. */
export function formatCause(thrown: unknown, redact: Redact): string {
  const words: string[] = [];
  for (let cause = thrown; cause !== undefined && words.length < maxCauses; ) {
    words.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return String(redact(words.join('\nbecause of ').slice(0, maxTextLength)));
}
