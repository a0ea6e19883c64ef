// Queries of a fixed form: Kysely builds and compiles each form once, which would cost more than SQLite's own work.
// Afterwards only the values change.
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Insertable,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Tables } from './tables.ts';

/** Stands in a compiled query for a value that each run gives. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * `build` sees gaps where the values of `given` will be, so it may put them into the query and must not look at them.
 * It is called once for every set of names that `given` comes with.
 */
export function prepare<Given extends object, Row>(
  db: Kysely<Tables>,
  build: (given: Given) => Compilable<Row>,
): (given: Given) => Promise<QueryResult<Row>> {
  const run = toRunCompiled<Row>(db);
  const forms = new Map<string, CompiledQuery<Row>>();
  function compile(form: string, names: readonly string[]): CompiledQuery<Row> {
    const query = build(toPlaceholders<Given>(names)).compile();
    forms.set(form, query);
    return query;
  }
  return (given) => {
    const names = Object.keys(given);
    const form = names.join();
    const { sql, parameters } = forms.get(form) ?? compile(form, names);
    return run({ sql, parameters: parameters.map((value) => fill(value, given)) });
  };
}

function fill(value: unknown, given: object): unknown {
  return value instanceof Placeholder ? Reflect.get(given, value.name) : value;
}

function toPlaceholders<Given>(names: readonly string[]): Given {
  // Kysely takes any value for a parameter and only passes it on, so a gap goes wherever the real value would.
  return Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as Given;
}

/** Inserts several rows at a time. All of them must name the same columns in the same order. */
export function prepareInsert<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
): (rows: readonly Insertable<Tables[Table]>[]) => Promise<void> {
  const run = toRunCompiled(db);
  const forms = new Map<number, string>();
  return async (rows) => {
    const sql = forms.get(rows.length) ?? db.insertInto(table).values(rows).compile().sql;
    forms.set(rows.length, sql);
    await run({ sql, parameters: rows.flatMap((row) => Object.values(row)) });
  };
}

/** For `limit`: a bare parameter there makes SQLite plan the whole statement again at every run. */
export function toLimit(rows: number) {
  return sql<number>`${rows} + 0`;
}

const sizes = [8, 4, 2, 1] as const;

/**
 * Cuts rows for multi-row INSERTs. Four sizes only, so that few statements are prepared. Eight at most: SQLite copies
 * each page that such a statement touches, and past 64 KB it puts the copies into a temporary file.
 */
export function* toInsertBatches<T>(rows: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const size of sizes) {
    for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size);
  }
}

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
