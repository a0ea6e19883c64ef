// Values of the configuration in words. Pure.
import type { ConfigItem } from '@toolyard/sdk';
import { toDuration } from '../../parts/format-time.ts';

export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : JSON.stringify(value);
  return String(value);
}

/** What a number comes to: `30 min 0 s`, `50 kB`. */
export function formatUnit(key: string, word: string): string | undefined {
  const number = Number(word);
  if (word.trim() === '' || !Number.isFinite(number)) return undefined;
  if (/(?:Timeout|Ms)$/.test(key)) return toDuration(number).replace(/ 0 (?:s|min)$/, '');
  if (!/Bytes$/.test(key)) return undefined;
  if (number >= 1_048_576) return `${Number((number / 1_048_576).toFixed(1))} MB`;
  return number >= 1_024 ? `${Number((number / 1_024).toFixed(1))} kB` : `${number} bytes`;
}

export const sources: Record<ConfigItem['source'], string> = {
  default: 'default',
  file: 'config.yaml',
  start: 'given at the start',
};

const groupNames: Readonly<Record<string, string>> = {
  server: 'Server',
  defaults: 'What new sessions begin with',
  providers: 'Providers of models',
  limits: 'Limits',
  workspace: 'Workspace',
  claude: 'Claude engine',
  toolkits: 'Toolkits',
  toolApproval: 'Approvals',
  mcp: 'MCP',
  tools: 'Tool calls',
  output: 'Outputs',
  retention: 'Retention',
  backup: 'Backups',
};

/** Keys by their first word, in their order. */
export function toGroups(
  items: readonly ConfigItem[],
): { name: string; title: string; items: ConfigItem[] }[] {
  const groups = Map.groupBy(items, ({ key }) => key.split('.')[0] ?? key);
  return [...groups].map(([name, own]) => ({ name, title: groupNames[name] ?? name, items: own }));
}
