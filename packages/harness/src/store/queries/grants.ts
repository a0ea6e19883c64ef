// Grant, token and trust rows: what a person has said that holds beyond one call.
import { createHash } from 'node:crypto';
import type { Grant, StoreReads, StoreWrites, Token } from '@toolyard/sdk';
import type { Insertable, Kysely } from 'kysely';
import { fromJson, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

export function createGrantReads(
  db: Db,
): Pick<StoreReads, 'grants' | 'grant' | 'grantFor' | 'tokens' | 'tokenByHash' | 'trustedHash'> {
  const inForce = prepare(db, (wanted: WantedGrant) => selectInForce(db, wanted));
  const byId = prepare(db, ({ id }: { id: string }) =>
    db.selectFrom('grants').select(['id', 'body']).where('id', '=', id),
  );
  const byHash = prepare(db, ({ secretHash }: { secretHash: string }) =>
    db.selectFrom('tokens').select(['id', 'body']).where('secret_hash', '=', secretHash),
  );
  const trusted = prepare(db, ({ workspace }: { workspace: string }) =>
    db.selectFrom('trust').select('hash').where('workspace', '=', workspace),
  );
  return {
    async grants() {
      const rows = await db.selectFrom('grants').select(['id', 'body']).orderBy('id', 'desc').execute();
      return rows.map((row) => fromJson<Grant>(row.body, row.id));
    },
    async grant(id) {
      const [row] = (await byId({ id })).rows;
      return row && fromJson<Grant>(row.body, row.id);
    },
    async grantFor({ tool, key, schemaHash, sessionId, role, workspace, at }) {
      const holder = toHolder(role, workspace);
      const [row] = (await inForce({ tool, keyHash: hashOf(key), schemaHash, sessionId, holder, at })).rows;
      return row && fromJson<Grant>(row.body, row.id);
    },
    async tokens() {
      const rows = await db.selectFrom('tokens').select(['id', 'body']).orderBy('id', 'desc').execute();
      return rows.map((row) => fromJson<Token>(row.body, row.id));
    },
    async tokenByHash(secretHash) {
      const [row] = (await byHash({ secretHash })).rows;
      return row && fromJson<Token>(row.body, row.id);
    },
    async trustedHash(workspace) {
      return (await trusted({ workspace: toColumn(workspace) })).rows[0]?.hash;
    },
  };
}

export function createGrantWrites(
  db: Db,
): Pick<StoreWrites, 'putGrant' | 'deleteGrant' | 'putToken' | 'deleteToken' | 'putTrust'> {
  const put = prepare(db, (row: Insertable<Tables['grants']>) =>
    db
      .insertInto('grants')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row)),
  );
  return {
    async putGrant(grant) {
      const { id, tool, expiresAt: expires_at, schemaHash: schema_hash } = grant;
      const holder = grant.sessionId ?? toHolder(grant.role ?? '', grant.workspace ?? '');
      const key_hash = hashOf(grant.key);
      await put({ id, tool, key_hash, schema_hash, holder, expires_at, body: toJson(grant) });
    },
    async deleteGrant(id) {
      const { numDeletedRows } = await db.deleteFrom('grants').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async putToken(token, secretHash) {
      const row = { id: token.id, secret_hash: secretHash, body: toJson(token) };
      await db
        .insertInto('tokens')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async deleteToken(id) {
      const { numDeletedRows } = await db.deleteFrom('tokens').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async putTrust(workspace, hash, at) {
      const row = { workspace: toColumn(workspace), hash, at };
      await db
        .insertInto('trust')
        .values(row)
        .onConflict((conflict) => conflict.column('workspace').doUpdateSet(row))
        .execute();
    },
  };
}

interface WantedGrant {
  tool: string;
  keyHash: string;
  schemaHash: string;
  sessionId: string;
  holder: string;
  at: string;
}

function selectInForce(db: Db, { tool, keyHash, schemaHash, sessionId, holder, at }: WantedGrant) {
  return db
    .selectFrom('grants')
    .select(['id', 'body'])
    .where('tool', '=', tool)
    .where('key_hash', '=', keyHash)
    .where('holder', 'in', [sessionId, holder])
    .where('schema_hash', '=', schemaHash)
    .where('expires_at', '>', at)
    .limit(toLimit(1));
}

/** Keys may be whole inputs; an index of their hashes stays small. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whom an `always` grant covers. A session's id can never look like it. */
function toHolder(role: string, workspace: string): string {
  return toJson([role, workspace]);
}
