// What a process is told: what its spec says and a few harmless words of the server's. Never the server's secrets.
import type { ProcessSpec } from '@toolyard/sdk';

const inherited = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TERM'] as const;
export const defaultPath = '/usr/local/bin:/usr/bin:/bin';

export type Environment = Record<string, string>;

/** PWD is there too, because shells and many programs believe it over what the system says. */
export function toEnvironment(
  server: NodeJS.ProcessEnv,
  spec: Pick<ProcessSpec, 'cwd' | 'env'>,
): Environment {
  const environment: Environment = { PATH: defaultPath };
  for (const name of inherited) {
    const value = server[name];
    if (value) environment[name] = value;
  }
  return { ...environment, PWD: spec.cwd, ...spec.env };
}
