// Reads the person's configuration. A missing file is every default; a broken one says where and what to do.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Config } from '@toolyard/sdk';
import type { z } from 'zod';

export interface ConfigFile {
  config: Config;
  path: string;
  exists: boolean;
}

export async function readConfig(home: string): Promise<ConfigFile> {
  const path = join(home, 'config.yaml');
  if (await isMissing(path)) return { config: Config.parse({}), path, exists: false };
  // Most homes have no such file, and the parser is slow to load.
  const { readYaml } = await import('../files/yaml.ts');
  return { config: await readYaml(Config, path), path, exists: true };
}

/** What a program says in code: each key takes the place of the same key in the file. */
export type ConfigInput = z.input<typeof Config>;

export function overlayConfig(config: Config, over?: ConfigInput): Config {
  if (!over) return config;
  const sections = new Map(Object.entries<object>(config));
  for (const [name, section] of Object.entries<object | undefined>(over)) {
    sections.set(name, { ...sections.get(name), ...section });
  }
  return Config.parse(Object.fromEntries(sections));
}

/** A file that cannot be looked at is not missing: reading it says what is wrong. */
async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
  }
}
