// What a durable commit costs on this disk when nothing but SQLite stands before it: two rows like a turn's, WAL, FULL.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface PlainDatabase extends Disposable {
  /** Makes so many commits, one after another. All are on disk when it returns. */
  commit(count: number): void;
}

const data = JSON.stringify({ content: 'ping the server', turnId: 'trn_01k0000000000000000000000' });
const at = '2026-01-01T00:00:00.000Z';

export function openPlainDatabase(folder: string): PlainDatabase {
  const database = new DatabaseSync(join(folder, 'plain.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE events (position INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, at TEXT, type TEXT, data TEXT,
      UNIQUE (session, seq));
    CREATE TABLE turns (id TEXT PRIMARY KEY, session TEXT, state TEXT, content TEXT, at TEXT)`);
  const addEvent = database.prepare(
    'INSERT INTO events (session, seq, at, type, data) VALUES (1, ?, ?, ?, ?)',
  );
  const addTurn = database.prepare('INSERT INTO turns VALUES (?, ?, ?, ?, ?)');
  let seq = 0;
  return {
    commit(count) {
      for (let made = 0; made < count; made++) {
        seq += 1;
        database.exec('BEGIN IMMEDIATE');
        addEvent.run(seq, at, 'user_message', data);
        addTurn.run(`trn_${seq}`, 'ses_01k0000000000000000000000', 'queued', data, at);
        database.exec('COMMIT');
      }
    },
    [Symbol.dispose]: () => database.close(),
  };
}
