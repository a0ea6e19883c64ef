// What turns used of models: a row each, summed by SQLite. Reads no log and no turn.
import type {
  TurnUsage,
  UsageGroup,
  UsagePoint,
  UsageQuery,
  UsageReads,
  UsageSum,
  UsageWrites,
} from '@toolyard/sdk';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fromColumn, toColumn } from '../sqlite/columns.ts';
import { prepare } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

const sums = sql<UsageSum>`count(*) AS turns,
  coalesce(sum(input_tokens), 0) AS inputTokens,
  coalesce(sum(output_tokens), 0) AS outputTokens,
  coalesce(sum(cache_read_tokens), 0) AS cacheReadTokens,
  coalesce(sum(cache_write_tokens), 0) AS cacheWriteTokens,
  CASE count(*) WHEN 0 THEN 0 ELSE sum(cost_usd) END AS costUsd,
  count(*) - count(cost_usd) AS unpricedTurns`;

interface Group extends UsageSum {
  key: string;
  title: string | null;
}

export function createUsageReads(db: Db): UsageReads {
  async function findGroups(asked: UsageQuery): Promise<Group[]> {
    const { from, to, by, limit } = asked;
    const found = await sql<Group>`
      SELECT ${keyOf(asked)} AS key, ${by === 'session' ? titleOf : sql`NULL`} AS title, ${sums}
      FROM usage WHERE ended_at >= ${from} AND ended_at < ${to}
      GROUP BY key
      ORDER BY ${by === 'day' ? sql`key` : sql`costUsd DESC, inputTokens + outputTokens DESC, key`}
      LIMIT ${by === 'day' ? -1 : limit}`.execute(db);
    return found.rows;
  }

  /** By the key of their group, as it lies in the database. */
  async function findPoints(asked: UsageQuery, groups: readonly Group[]): Promise<Map<string, UsagePoint[]>> {
    const points = new Map<string, UsagePoint[]>(groups.map(({ key }) => [key, []]));
    const { from, to, by } = asked;
    if (by === 'day' || groups.length === 0) return points;
    const found = await sql<UsagePoint & { key: string }>`
      SELECT ${keyOf(asked)} AS key, ${timeOf(asked)} AS at, ${sums}
      FROM usage WHERE ended_at >= ${from} AND ended_at < ${to}
        AND ${keyOf(asked)} IN (${sql.join([...points.keys()])})
      GROUP BY key, at ORDER BY at`.execute(db);
    for (const { key, ...point } of found.rows) points.get(key)?.push(point);
    return points;
  }

  return {
    async usage(asked) {
      const { from, to } = asked;
      const [total = nothingUsed] = (
        await sql<UsageSum>`SELECT ${sums} FROM usage WHERE ended_at >= ${from} AND ended_at < ${to}`.execute(
          db,
        )
      ).rows;
      const groups = await findGroups(asked);
      const points = await findPoints(asked, groups);
      return { groups: groups.map((group) => toGroup(group, points.get(group.key) ?? [])), total };
    },
  };
}

function toGroup({ key, title, ...sum }: Group, points: UsagePoint[]): UsageGroup {
  return { key: fromColumn(key), ...(title !== null && { title: fromColumn(title) }), ...sum, points };
}

const nothingUsed: UsageSum = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  unpricedTurns: 0,
};

const titleOf = sql`(SELECT title FROM sessions WHERE sessions.id = usage.session_id)`;

function keyOf(asked: UsageQuery): RawBuilder<unknown> {
  if (asked.by === 'day') return timeOf(asked);
  return asked.by === 'session' ? sql`coalesce(session_id, '')` : sql.ref(asked.by);
}

/** The hour or day of its end, by the asker's clock. */
function timeOf({ step, utcOffset }: UsageQuery): RawBuilder<unknown> {
  const form = step === 'hour' ? '%Y-%m-%dT%H:00' : '%Y-%m-%d';
  return sql`strftime(${form}, ended_at, ${`${utcOffset} minutes`})`;
}

export function createUsageWrites(db: Db): UsageWrites {
  const put = prepare(db, (row: Tables['usage']) => db.replaceInto('usage').values(row));
  return {
    async putUsage(usage) {
      await put(toRow(usage));
    },
  };
}

function toRow(usage: TurnUsage): Tables['usage'] {
  return {
    turn_id: usage.turnId,
    ended_at: usage.endedAt,
    session_id: usage.sessionId,
    role: usage.role,
    model: toColumn(usage.model),
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cost_usd: usage.costUsd,
    charged_usd: usage.chargedUsd ?? null,
    run_id: usage.runId ?? null,
    root_session_id: usage.rootSessionId ?? null,
    parent_agent_id: usage.parentAgentId ?? null,
    depth: usage.depth ?? null,
  };
}
