// What a person has typed into the configuration, and what of it is sent. Pure.
import type { ChangeConfig, ConfigItem, ToolyardError } from '@toolyard/sdk';

/** By key, the words of its control; `null`: back to the default. */
export type Draft = Readonly<Record<string, Word | null>>;
/** A map's words are its entries, in the order they stand in. */
export type Word = string | readonly MapEntry[];
export interface MapEntry {
  name: string;
  value: string;
}

export type Control = 'choice' | 'switch' | 'number' | 'text' | 'list' | 'map' | 'none';

export function toControl({ schema, editable }: ConfigItem): Control {
  if (!editable) return 'none';
  if (Array.isArray(schema.enum)) return 'choice';
  if (schema.type === 'boolean') return 'switch';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'array') return 'list';
  return schema.type === 'object' ? 'map' : 'text';
}

/** What an entry of a map may be. */
export function toMapChoices({ schema }: ConfigItem): string[] {
  const { additionalProperties } = schema;
  const values =
    typeof additionalProperties === 'object' && additionalProperties !== null ? additionalProperties : {};
  if ('enum' in values && Array.isArray(values.enum)) return values.enum.map(String);
  return 'type' in values && values.type === 'boolean' ? ['true', 'false'] : [];
}

/** The words that stand for a value in its control. */
export function toWord(item: ConfigItem, value: unknown): Word {
  const control = toControl(item);
  if (control === 'map') {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return entries.map(([name, one]) => ({ name, value: String(one) }));
  }
  if (control === 'list') return Array.isArray(value) ? value.join(', ') : '';
  return value === undefined || value === null ? '' : String(value);
}

/** What the file says of it, or what holds when it says nothing. */
export function savedValue(item: ConfigItem): unknown {
  return item.afterRestart === undefined ? item.value : item.afterRestart;
}

export function isChanged(item: ConfigItem, draft: Draft): boolean {
  const word = draft[item.key];
  if (word === undefined) return false;
  if (word === null) return JSON.stringify(savedValue(item)) !== JSON.stringify(item.default);
  return JSON.stringify(word) !== JSON.stringify(toWord(item, savedValue(item)));
}

/** The part of the configuration that a draft changes. What is no number is left to the server to refuse. */
export function toPatch(items: readonly ConfigItem[], draft: Draft): ChangeConfig {
  const patch: Record<string, unknown> = {};
  for (const item of items) {
    const word = draft[item.key];
    if (word !== undefined && isChanged(item, draft)) put(patch, item.key.split('.'), toValue(item, word));
  }
  return patch;
}

function toValue(item: ConfigItem, word: Word | null): unknown {
  if (word === null) return null;
  const control = toControl(item);
  if (typeof word !== 'string') return toMapPatch(item, word);
  if (control === 'switch') return word === 'true';
  if (control === 'number') return word.trim() === '' || Number.isNaN(Number(word)) ? word : Number(word);
  if (control === 'list') return word.split(/[\s,]+/).filter(Boolean);
  return word;
}

/** Entries that are there now, and `null` for those that are no longer. */
function toMapPatch(item: ConfigItem, entries: readonly MapEntry[]): Record<string, unknown> {
  const saved = savedValue(item);
  const before = typeof saved === 'object' && saved !== null ? Object.keys(saved) : [];
  const isSwitch = toMapChoices(item).includes('true');
  const now = entries.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries([
    ...before.map((name) => [name, null] as const),
    ...now.map(({ name, value }) => [name.trim(), isSwitch ? value === 'true' : value] as const),
  ]);
}

function put(patch: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    patch[first] = value;
    return;
  }
  const below = patch[first];
  const group: Record<string, unknown> = typeof below === 'object' && below !== null ? { ...below } : {};
  put(group, rest, value);
  patch[first] = group;
}

/** What the server refused, by key. An entry of a map counts for its map. */
export function toFieldErrors(items: readonly ConfigItem[], error: ToolyardError): Record<string, string> {
  const issues = Array.isArray(error.data?.issues) ? error.data.issues : [];
  const found: Record<string, string> = {};
  for (const issue of issues) {
    const { path, message } = Object(issue);
    const item = items.find(({ key }) => path === key || String(path).startsWith(`${key}.`));
    if (!item) continue;
    const entry = path === item.key ? '' : `${String(path).slice(item.key.length + 1)}: `;
    found[item.key] = `${entry}${String(message)}`;
  }
  return found;
}
