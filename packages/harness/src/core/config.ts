// Reads the person's configuration. A missing file is every default; a broken one says where and what to do.
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { readYaml } from './yaml.ts';

export interface ConfigFile {
  config: Config;
  path: string;
  exists: boolean;
}

export async function readConfig(home: string): Promise<ConfigFile> {
  const path = join(home, 'config.yaml');
  try {
    return { config: await readYaml(Config, path), path, exists: true };
  } catch (thrown) {
    if (isMissing(thrown)) return { config: Config.parse({}), path, exists: false };
    throw thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  const cause = thrown instanceof ToolyardError ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
