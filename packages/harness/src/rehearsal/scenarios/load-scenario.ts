// Reads scenario files. A folder of them is one scenario: its files in the order of their names.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolyardError } from '@toolyard/sdk';
import { parseYaml, readYaml } from '../../core/files/yaml.ts';
import { type Rule, Scenario } from './scenario.ts';

/** The scenarios that ship. */
export const scenarioPaths = {
  default: fileURLToPath(new URL('./default.yaml', import.meta.url)),
  conformance: fileURLToPath(new URL('./conformance.yaml', import.meta.url)),
};

const maxFiles = 100;

/** Throws `invalid_config` naming file, line and column. */
export async function loadScenario(path: string): Promise<Scenario> {
  const names = await namesIn(path);
  if (!names) return readYaml(Scenario, path);
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  if (files.length === 0 || files.length > maxFiles) {
    const message = `${path}: expected 1 to ${maxFiles} scenario files ending in .yaml, found ${files.length}`;
    throw new ToolyardError('invalid_config', message, { data: { file: path } });
  }
  const scenarios = await Promise.all(files.map((name) => readYaml(Scenario, join(path, name))));
  return { rules: scenarios.flatMap(toRules) };
}

/** For scenarios that are not in a file; `file` is what refusals call it. */
export function parseScenario(text: string, file: string): Scenario {
  return parseYaml(Scenario, text, file);
}

/** The rules of a scenario, each with its own pace. */
export function toRules(scenario: Scenario): Rule[] {
  return scenario.rules.map((rule) => ({ ...rule, pace: { ...scenario.pace, ...rule.pace } }));
}

async function namesIn(path: string): Promise<string[] | undefined> {
  // Whatever is not a readable folder is left to the reading of files, which says what is wrong with it.
  return readdir(path).catch(() => undefined);
}
