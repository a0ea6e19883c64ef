// Every key of the configuration, as data: where it stands, what it means, and whether it may be changed from outside
// of its file. What starts a program, opens the machine or says where secrets go may not.
import { Config } from '@toolyard/sdk';
import { z } from 'zod';

/** When a change of a key counts. Only keys that are named here can be changed through the server. */
const editable: Record<string, 'now' | 'restart'> = {
  'defaults.role': 'now',
  'defaults.engine': 'now',
  'defaults.model': 'now',
  'defaults.mode': 'now',
  'limits.maxSteps': 'now',
  'limits.maxRepeats': 'now',
  'limits.maxDepth': 'now',
  'limits.maxChildren': 'now',
  'limits.maxAgents': 'now',
  'limits.spawnPerMinute': 'now',
  'limits.budgetUsd': 'now',
  'limits.dailyUsd': 'now',
  'limits.tokens': 'now',
  'limits.wallMinutes': 'now',
  'limits.onLimit': 'now',
  'limits.concurrency': 'now',
  'claude.idleMinutes': 'restart',
  'claude.maxHot': 'restart',
  'claude.spare': 'restart',
  toolkits: 'now',
  'toolApproval.defaultTier': 'now',
  'toolApproval.perTool': 'now',
  'toolApproval.approvalTimeout': 'now',
  'toolApproval.unattended': 'now',
  'toolApproval.maxPending': 'now',
  'toolApproval.maxQuestions': 'now',
  'mcp.streamTimeout': 'restart',
  'mcp.fullAccessCategories': 'now',
  'tools.deadlineMs': 'now',
  'tools.hookDeadlineMs': 'now',
  'output.maxBytes': 'now',
  'output.keepBytes': 'now',
  'retention.days': 'restart',
  'retention.maxMb': 'restart',
  'backup.keep': 'restart',
};

/** Why the others are not, by how they begin. */
const places: Record<string, string> = {
  'server.port': 'Set it in config.yaml, with --port or with TOOLYARD_PORT.',
  'server.host': 'Set it in config.yaml or with --host; it decides which machines can reach this server.',
  'server.publicUrl': 'Set it in config.yaml; it decides which page this server obeys.',
  providers: 'Set it in config.yaml; it decides where your keys and conversations are sent.',
  workspace: 'Set it in config.yaml; it decides how far agents can reach on this machine.',
  'claude.executable': 'Set it in config.yaml; it names a program to run.',
  'claude.trustManagedSettings': 'Set it in config.yaml; it lets others configure Claude Code.',
};

export interface ConfigKey {
  /** Dotted. */
  key: string;
  path: readonly string[];
  description: string;
  standard: unknown;
  schema: Record<string, unknown>;
  /** Its value is a map that people fill. */
  isMap: boolean;
  applies: 'now' | 'restart';
  editable: boolean;
  where?: string;
}

let keys: readonly ConfigKey[] | undefined;

/** In the order of the schema. Made when first asked: a start has no use for them. */
export function listConfigKeys(): readonly ConfigKey[] {
  keys ??= toKeys(z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }), []);
  return keys;
}

function toKeys(schema: object, path: readonly string[]): ConfigKey[] {
  const {
    properties,
    $schema: _,
    ...rest
  } = z.looseObject({ properties: z.record(z.string(), z.looseObject({})).optional() }).parse(schema);
  if (properties)
    return Object.entries(properties).flatMap(([name, nested]) => toKeys(nested, [...path, name]));
  const { description, default: standard, ...values } = rest;
  const key = path.join('.');
  const applies = Object.hasOwn(editable, key) ? editable[key] : undefined;
  const where = Object.entries(places).find(
    ([prefix]) => key === prefix || key.startsWith(`${prefix}.`),
  )?.[1];
  return [
    {
      key,
      path,
      standard,
      schema: values,
      description: String(description ?? ''),
      isMap: values.type === 'object',
      applies: applies ?? 'restart',
      editable: applies !== undefined,
      ...(applies === undefined && { where: where ?? 'Set it in config.yaml.' }),
    },
  ];
}

/** The value at a path of a configuration, if there is one. */
export function valueAt(config: unknown, path: readonly string[]): unknown {
  let value = config;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** `config` with the values that `from` has for these keys. */
export function withValues(config: Config, from: Config, keys: readonly ConfigKey[]): Config {
  const next: unknown = structuredClone(config);
  for (const { path } of keys) {
    const group = valueAt(next, path.slice(0, -1));
    if (typeof group === 'object' && group !== null)
      Reflect.set(group, path.at(-1) ?? '', valueAt(from, path));
  }
  return Config.parse(next);
}
