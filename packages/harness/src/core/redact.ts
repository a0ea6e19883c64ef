// Takes secrets out of what is written down: by the name of a key, and by the value of secrets we know.

const secretName =
  /pass(word|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;
const shortest = 8;
export const redacted = '[redacted]';

export type Redact = (value: unknown) => unknown;

/** Knows the values of every variable of the environment that is named like a secret, and those given. */
export function createRedact(env: NodeJS.ProcessEnv, more: readonly string[] = []): Redact {
  const fromEnvironment = Object.entries(env).flatMap(([name, value]) =>
    value && secretName.test(name) ? value : [],
  );
  const secrets = [...new Set([...fromEnvironment, ...more])].filter(({ length }) => length >= shortest);

  function redact(value: unknown, depth = 0): unknown {
    if (typeof value === 'string')
      return secrets.reduce((text, secret) => text.replaceAll(secret, redacted), value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > 100) return redacted;
    if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        redact(key) as string, // a string stays a string
        isSecret(key, each) ? redacted : redact(each, depth + 1),
      ]),
    );
  }
  return (value) => redact(value);
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || !secretName.test(name)) return false;
  // `max_tokens: 4096` is a count.
  return !(typeof value === 'number' && /tokens$/i.test(name));
}
