// `config path` and `config get`. They read the file themselves: no server is needed.
import { ToolyardError } from '@toolyard/sdk';
import { findNearest, readConfig, resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';

export async function showPath({ env, terminal: { out, err } }: Call): Promise<number> {
  const { path, exists } = await readConfig(resolveHome(env));
  out.line(path);
  if (!exists) err.line(err.paint('dim', 'The file does not exist; all defaults apply.'));
  return 0;
}

export async function getConfig({ env, words, flags, terminal: { out } }: Call): Promise<number> {
  const { config } = await readConfig(resolveHome(env));
  const [key] = words;
  const value = key === undefined ? config : find(config, key);
  if (flags.has('json')) out.line(JSON.stringify(value));
  else out.line(typeof value === 'string' ? value : toYaml(value));
  return 0;
}

function find(config: object, key: string): unknown {
  const keys = listKeys(config);
  const found = keys.get(key);
  if (found !== undefined) return found;
  const suggestion = findNearest(key, keys.keys());
  const next = suggestion ? `Did you mean "${suggestion}"?` : `The keys are: ${[...keys.keys()].join(', ')}.`;
  throw new ToolyardError('usage', `Unknown key "${key}". ${next}`);
}

/** Every key, groups included, by its dotted name. */
function listKeys(group: object, prefix = ''): Map<string, unknown> {
  const keys = new Map<string, unknown>();
  for (const [name, value] of Object.entries(group)) {
    keys.set(prefix + name, value);
    if (!isGroup(value)) continue;
    for (const [below, inner] of listKeys(value, `${prefix}${name}.`)) keys.set(below, inner);
  }
  return keys;
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Groups as indented YAML; JSON, which is YAML too, for what is not a plain word. */
function toYaml(value: unknown, indent = ''): string {
  if (!isGroup(value)) return isPlain(value) ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, inner]) =>
      isGroup(inner)
        ? `${indent}${name}:\n${toYaml(inner, `${indent}  `)}`
        : `${indent}${name}: ${toYaml(inner)}`,
    )
    .join('\n');
}

function isPlain(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[\w/][\w./-]*$/.test(value)) return false;
  return Number.isNaN(Number(value)) && !/^(true|false|null|yes|no|on|off)$/i.test(value);
}
