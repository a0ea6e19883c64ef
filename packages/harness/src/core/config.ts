// Reads the person's configuration. A missing file is every default; a broken one says where and what to do.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { parseYaml } from './yaml.ts';

export interface ConfigFile {
  config: Config;
  path: string;
  exists: boolean;
}

export async function readConfig(home: string): Promise<ConfigFile> {
  const path = join(home, 'config.yaml');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ToolyardError('invalid_config', `${path} cannot be read: ${error.message}.`, { cause: error });
  });
  const config = text === undefined ? Config.parse({}) : parseYaml(Config, text, path);
  return { config, path, exists: text !== undefined };
}
