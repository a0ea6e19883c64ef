// Takes out of a recording what differs from run to run and machine to machine: ids, times, paths, prices and the
// length of prompts. Equal values stay equal. Pure but for what it remembers of earlier ids.

export interface Folders {
  cwd: string;
  home: string;
  tmp: string;
}

type Change = (text: string, key?: string) => string;

/** Lists of the CLI that change with each version and mean nothing to us. */
const droppedKeys = new Set([
  'slash_commands',
  'terminal_slash_commands',
  'skills',
  'agents',
  'plugins',
  'memory_paths',
  'output_style',
  'subagent_stats',
  'fast_mode_state',
  'fast_mode_disabled_reason',
  'commands',
  'models',
  'account',
  'available_output_styles',
  'pid',
  'messaging_socket_path',
]);
const costKeys = new Set(['total_cost_usd', 'costUSD']);
const inputKeys = new Set([
  'input_tokens',
  'inputTokens',
  'first_request_input_tokens',
  'pre_tokens',
  'post_tokens',
]);
/** Messages whose own id nobody refers to. */
const passingTypes = new Set<unknown>([
  'stream_event',
  'system',
  'result',
  'rate_limit_event',
  'tool_progress',
]);

export function createNormalizer(folders: Folders): (message: unknown) => unknown {
  const changes = [...pathChanges(folders), ...idChanges()];
  const request = numbered(/^[0-9a-z]{9,13}$/, 'request');
  const change: Change = (text, key) =>
    changes.reduce((changed, apply) => apply(changed), key === 'request_id' ? request(text) : text);
  return (message) => walk(message, change);
}

function walk(value: unknown, change: Change, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (typeof value === 'number') return steady(key, value);
  if (Array.isArray(value)) return value.map((item) => walk(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const type = 'type' in value ? value.type : undefined;
  const pairs = Object.entries(value).filter(([name]) => !droppedKeys.has(name) && !isTiming(type, name));
  return Object.fromEntries(
    pairs.map(([name, item]) => [
      name,
      name === 'uuid' && passingTypes.has(type) ? 'uuid' : walk(item, change, name),
    ]),
  );
}

function isTiming(type: unknown, key: string): boolean {
  return (type === 'result' || type === 'stream_event') && key.endsWith('_ms');
}

function steady(key: string, value: number): number {
  if (value === 0) return 0;
  if (key.endsWith('_ms') || key === 'end_time') return 500;
  if (inputKeys.has(key)) return Math.max(1_000, Math.round(value / 1_000) * 1_000);
  return costKeys.has(key) ? Math.max(0.001, Math.round(value * 1_000) / 1_000) : value;
}

function pathChanges({ cwd, home, tmp }: Folders): Change[] {
  const flat = (path: string) => path.replace(/[^a-zA-Z0-9]/g, '-');
  const places = [
    [cwd, '/yard/cwd'],
    [home, '/yard/home'],
    [tmp, '/yard/tmp'],
    [flat(cwd), '-yard-cwd'],
  ] as const;
  return [
    ...places.map(
      ([from, to]): Change =>
        (text) =>
          text.replaceAll(from, to),
    ),
    (text) => text.replace(/\/claude-\d+\//g, '/claude/'),
    (text) => text.replace(/(duration_ms|subagent_tokens): \d+/g, '$1: 500'),
    (text) => text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1234'),
    (text) => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '2026-01-01T00:00:00.000Z'),
  ];
}

function idChanges(): Change[] {
  return [
    [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'uuid'],
    [/\bmsg_[0-9a-f]{24}\b/g, 'msg'],
    [/\btoolu_[0-9a-f]{24}\b/g, 'toolu'],
    [/\breq_[0-9a-f]{24}\b/g, 'req'],
    [/\ba[0-9a-f]{16}\b/g, 'agent'],
    [/\b[0-9a-z]{9}-[0-9a-f]{8}\b/g, 'run'],
  ].map(([pattern, name]) => numbered(pattern as RegExp, name as string));
}

/** Names what it finds by the order in which it is found. */
function numbered(pattern: RegExp, name: string): Change {
  const known = new Map<string, string>();
  return (text) =>
    text.replace(pattern, (id) => {
      const given = known.get(id) ?? `${name}_${known.size + 1}`;
      known.set(id, given);
      return given;
    });
}
