// Compares a database's schema with the one that its migrations make. Its text is damaged as easily as any row, and
// SQLite would then misread tables, or fail with words that do not say why.
import type { Migration } from '../migrations/list.ts';
import { type Connection, valuesAfter } from './sqlite.ts';
import { corruptError } from './sqlite-errors.ts';

// The tables inside a virtual one are SQLite's own, and another version of it may write them otherwise.
const definitions = `SELECT name || ' ' || type || ' ' || tbl_name || ' ' || sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT GLOB 'search_index_*' ORDER BY name`;

/** Throws `database_corrupt`. What others have added to the file is theirs. */
export async function checkSchema(
  connection: Connection,
  migrations: readonly Migration[],
  version: number,
): Promise<void> {
  const ours = new Set(toSchema(migrations).map(nameOf));
  const expected = toSchema(migrations.filter((migration) => migration.version <= version));
  const found = (await connection.values(definitions)).map(String).filter((text) => ours.has(nameOf(text)));
  if (expected.join('\n') === found.join('\n')) return;
  const wrong = [...expected, ...found].find((text) => !expected.includes(text) || !found.includes(text));
  throw corruptError(connection.path, `the definition of ${nameOf(wrong ?? '')} is not what was written`);
}

/** By their statements: making a schema costs as much as migrating a database. */
const schemas = new Map<string, readonly string[]>();

function toSchema(migrations: readonly Migration[]): readonly string[] {
  const statements = migrations.map(({ sql }) => sql);
  const key = statements.join(';\n');
  const known = schemas.get(key) ?? valuesAfter(statements, definitions).map(String);
  schemas.set(key, known);
  return known;
}

function nameOf(definition: string): string {
  return definition.split(' ', 1)[0] ?? '';
}
