// Full-text search over an FTS5 index without content: it finds, and the log says what it has found. Only words that the
// SDK has made go into its query language, each in quotes.
import {
  type FoundText,
  findWords,
  type IndexedText,
  isBeginning,
  type SearchReads,
  type SearchWrites,
} from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import { prepare } from '../sqlite/prepare.ts';
import { firstId, type Tables } from '../sqlite/tables.ts';
import { createPlaceReads, type PlacedRow, toPlacedEvents } from './events.ts';

type Db = Kysely<Tables>;

export function createSearchReads(db: Db): SearchReads {
  return {
    async search({ phrases, limit, after = Number.MIN_SAFE_INTEGER }) {
      const query = toQuery(phrases);
      const titles = after < 0 ? (await findTitles(query, after, limit).execute(db)).rows : [];
      const rest = limit - titles.length;
      if (rest === 0) return titles;
      const before = after < 0 ? Number.MAX_SAFE_INTEGER : after;
      return [...titles, ...(await findTexts(query, before, rest).execute(db)).rows];
    },
    async indexed() {
      const row = await db.selectFrom('search_state').select(['position', 'titles']).executeTakeFirst();
      return { position: row?.position ?? 0, titles: row?.titles === 1 };
    },
    async edges(after, through, maxBytes) {
      const { rows: sizes } = await selectEdgeSizes(after, through).execute(db);
      let sum = 0;
      const isFitting = ({ bytes }: { bytes: number }) => {
        sum += bytes;
        return sum <= maxBytes;
      };
      const tooMany = sizes.findIndex((size) => !isFitting(size));
      const last = tooMany < 0 ? through : (sizes[Math.max(tooMany - 1, 0)]?.position ?? through);
      const { rows } = await selectEdges(after, last).execute(db);
      // One by one: those between them are not missing.
      return rows.flatMap((row) => toPlacedEvents([row]));
    },
  };
}

export function createSearchWrites(db: Db): SearchWrites {
  const toRowid = createRowids(db);
  const insert = prepare(db, ({ rowid, words }: { rowid: number; words: string }) => ({
    compile: () => sql`insert into search_index (rowid, words) values (${rowid}, ${words})`.compile(db),
  }));
  const remove = prepareRemove(db);
  const mark = prepare(db, (state: { position: number; titles: number }) =>
    db.updateTable('search_state').set(state),
  );
  return {
    async index(texts) {
      for (const text of texts) {
        const rowid = await toRowid(text);
        if (rowid === undefined) continue;
        await remove({ rowid });
        const words = toWords(text.text);
        if (words) await insert({ rowid, words });
      }
    },
    async setIndexed({ position, titles }) {
      await mark({ position, titles: titles ? 1 : 0 });
    },
  };
}

/** What of the log may have been indexed. */
const indexedTypes = new Set(['user_message', 'text_delta', 'tool_call_end', 'title']);

export function createIndexRemoval(
  db: Db,
): (rows: readonly { position: number; type: string }[]) => Promise<void> {
  const remove = prepareRemove(db);
  return async (rows) => {
    for (const { position, type } of rows) if (indexedTypes.has(type)) await remove({ rowid: position });
  };
}

function prepareRemove(db: Db) {
  return prepare(db, ({ rowid }: { rowid: number }) => ({
    compile: () => sql`delete from search_index where rowid = ${rowid}`.compile(db),
  }));
}

/** Nothing for a text that is gone. */
function createRowids(db: Db): (text: IndexedText) => Promise<number | undefined> {
  const readPlaces = createPlaceReads(db);
  const position = prepare(db, ({ number, seq }: { number: number; seq: number }) =>
    db.selectFrom('events').select('position').where('session_number', '=', number).where('seq', '=', seq),
  );
  return async ({ sessionId, seq }) => {
    const number = (await readPlaces([sessionId])).get(sessionId)?.sessionNumber;
    if (number === undefined) return undefined;
    if (seq === 0) return -number;
    return (await position({ number, seq })).rows[0]?.position;
  };
}

function toWords(text: string): string {
  const words: string[] = [];
  for (const { word } of findWords(text)) words.push(word);
  return words.join(' ');
}

/** In FTS5's language: each phrase a string, all of them wanted. */
function toQuery(phrases: readonly (readonly string[])[]): string {
  const last = phrases.at(-1);
  return phrases
    .map((words) => {
      const isOpen = words === last && isBeginning(words.at(-1) ?? '');
      return `"${words.join(' ').replaceAll('"', '')}"${isOpen ? ' *' : ''}`;
    })
    .join(' ');
}

/** Those of the newest sessions first: their rows have the smallest numbers. Cross joins keep the index in front. */
function findTitles(query: string, after: number, limit: number) {
  return sql<FoundText>`select sessions.id as "sessionId", 0 as seq, search_index.rowid as place
    from search_index cross join sessions on sessions.number = -search_index.rowid
    where search_index match ${query} and search_index.rowid > ${after} and search_index.rowid < 0
    and sessions.id >= ${firstId} order by search_index.rowid limit ${limit}`;
}

function findTexts(query: string, before: number, limit: number) {
  return sql<FoundText>`select sessions.id as "sessionId", events.seq as seq, search_index.rowid as place
    from search_index cross join events on events.position = search_index.rowid
    cross join sessions on sessions.number = events.session_number
    where search_index match ${query} and search_index.rowid > 0 and search_index.rowid < ${before}
    and sessions.id >= ${firstId} order by search_index.rowid desc limit ${limit}`;
}

function selectEdgeSizes(after: number, through: number) {
  return sql<{ position: number; bytes: number }>`select events.position, octet_length(events.data) as bytes
    from events join sessions on sessions.number = events.session_number
    where events.position > ${after} and events.position <= ${through}
    and events.type in ('user_message', 'turn_end') and sessions.id >= ${firstId} order by events.position`;
}

function selectEdges(after: number, through: number) {
  return sql<PlacedRow>`select events.position, events.seq, events.at, events.type, events.data, events.checksum,
    sessions.id as "sessionId" from events join sessions on sessions.number = events.session_number
    where events.position > ${after} and events.position <= ${through}
    and events.type in ('user_message', 'turn_end') and sessions.id >= ${firstId} order by events.position`;
}
