// Kysely over anything that can run one compiled query: the whole of what it asks of a driver. Transactions are
// opened by group-commit.ts, never through Kysely.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Tables } from './tables.ts';

/** All that SQLite is told of a query. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;
export type RunQuery = (statement: Statement) => Promise<QueryResult<unknown>>;

const runs = new WeakMap<Kysely<Tables>, RunQuery>();

export function createKysely(run: RunQuery): Kysely<Tables> {
  const connection: DatabaseConnection = {
    // Kysely asks for the row type it inferred from the query; the tables' types vouch for it.
    executeQuery: <R>(query: CompiledQuery) => run(query) as Promise<QueryResult<R>>,
    streamQuery: () => refuse('stream'),
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: async () => refuse('begin'),
    commitTransaction: async () => refuse('commit'),
    rollbackTransaction: async () => refuse('roll back'),
    destroy: async () => {},
  };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  runs.set(db, run);
  return db;
}

/** Runs what Kysely has compiled, past its own way to the driver, which takes longer than SQLite does. */
export function toRunCompiled<R>(db: Kysely<Tables>): (statement: Statement) => Promise<QueryResult<R>> {
  const run = runs.get(db) ?? refuse('run another’s queries');
  // As above: the row type is the one Kysely inferred.
  return run as (statement: Statement) => Promise<QueryResult<R>>;
}

function refuse(what: string): never {
  throw new Error(`the store does not ${what} through Kysely`);
}
