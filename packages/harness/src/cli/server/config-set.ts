// `config set`: changes one key through the server, which validates it, writes it to the file and applies it.
import { type ChangeConfig, type ConfigItem, type ConfigView, ToolyardError } from '@toolyard/sdk';
import { findNearest } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { createServerLink } from '../connection/server-link.ts';
import { program } from '../terminal/program.ts';

export async function setConfig(call: Call): Promise<number> {
  const { words, flags, terminal } = call;
  const [key = '', text] = words;
  const isBack = flags.has('default');
  if (isBack === (text !== undefined)) {
    throw new ToolyardError('usage', 'Give a key and its value, or a key and --default.');
  }
  const link = await createServerLink(call);
  const item = findItem(await link.ask((client) => client.config.read()), key);
  const value = text === undefined ? null : toValue(item, key, text);
  const view = await link.client.config.change(toChange(key.split('.'), value));
  const changed = findItem(view, key);
  if (flags.has('json')) terminal.out.line(JSON.stringify(changed));
  else terminal.out.line(formatChange(changed));
  return 0;
}

/** The key itself, or the map that contains the entry. */
function findItem({ items }: ConfigView, key: string): ConfigItem {
  const found = items.find((item) => item.key === key) ?? items.find((item) => isEntryOf(item, key));
  if (found) return found;
  const names = items.map((item) => item.key);
  const suggestion = findNearest(key, names);
  const next = suggestion ? `Did you mean "${suggestion}"?` : `To list all keys: ${program} config get`;
  throw new ToolyardError('usage', `Unknown key "${key}". ${next}`);
}

function isEntryOf({ key: map, schema }: ConfigItem, key: string): boolean {
  return schema.type === 'object' && key.startsWith(`${map}.`) && !key.slice(map.length + 1).includes('.');
}

/** Parses the text by the key's schema. The server rejects a value that does not fit, with its reason. */
function toValue({ key: own, schema }: ConfigItem, key: string, text: string): unknown {
  const { type } = key === own ? schema : toEntrySchema(schema);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  if ((type === 'integer' || type === 'number') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text);
  if (type !== 'array' && type !== 'object') return text;
  if (type === 'array' && !/^\s*\[/.test(text)) return text.split(/[\s,]+/).filter(Boolean);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const given = text.slice(0, 100);
    throw new ToolyardError('usage', `${key} takes JSON, such as {"name":"value"}, not: ${given}`, { cause });
  }
}

function toEntrySchema({ additionalProperties }: ConfigItem['schema']): { type?: unknown } {
  return typeof additionalProperties === 'object' && additionalProperties !== null
    ? additionalProperties
    : {};
}

function toChange(path: readonly string[], value: unknown): ChangeConfig {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : toChange(rest, value) };
}

function formatChange({ key, value, source, applies, afterRestart }: ConfigItem): string {
  const isLater = afterRestart !== undefined;
  const shown = isLater ? afterRestart : value;
  const words = shown === undefined || shown === null ? 'not set' : formatValue(shown);
  const when = isLater || applies === 'restart' ? 'It applies after the next start.' : 'It applies now.';
  // Options from the start of the server override the file while that server runs.
  const note =
    source === 'start' && !isLater ? ' The running server was started with a different value.' : '';
  return `${key} is ${words}. ${when}${note}`;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
