// What is too large for the tab's storage, such as images: kept in a database of this browser, and the tab keeps where.
// It is read before the page begins, so that it is at hand at once; what a closed tab left is dropped after a week.
import { createUuid } from '@toolyard/sdk';
import { readStored, store } from './tab-storage.ts';
import { setUnsaved } from './unsaved-changes.ts';

interface Entry {
  value: unknown;
  /** Its record's: each writing makes another, so that a tab's copy of this one's storage is left alone. */
  id: string;
  length: number;
}

const placesName = 'toolyard.large';
const table = 'large';
const maxAgeMs = 7 * 24 * 3_600_000;
/** Of one tab, in characters. */
const maxTotalLength = 100_000_000;
/** Longer than this, the page begins without it. */
const openTimeoutMs = 3_000;

const entries = new Map<string, Entry>();
let database: Promise<IDBDatabase> | undefined;

export function readLarge(name: string): unknown {
  return entries.get(name)?.value;
}

/** At hand at once; kept over a reload as soon as the database has it, and until then at risk. */
export function storeLarge(name: string, value: unknown): void {
  const before = entries.get(name);
  if (value === undefined && !before) return;
  const text = value === undefined ? '' : JSON.stringify(value);
  const entry = value === undefined ? undefined : { value, id: createUuid(), length: text.length };
  if (entry) entries.set(name, entry);
  else entries.delete(name);
  setUnsaved(name, entry && 'writing');
  const places = [...entries].map(([each, { id }]) => [each, id]);
  const isPlaced = store(placesName, places.length > 0 ? places : undefined);
  const settle = (isKept: boolean) => {
    if (entry && entries.get(name) === entry) setUnsaved(name, isKept ? undefined : 'unkept');
  };
  const isRoom = [...entries.values()].reduce((sum, { length }) => sum + length, 0) <= maxTotalLength;
  const put = entry && isPlaced && isRoom ? { id: entry.id, text } : undefined;
  write(put, before?.id).then(
    () => settle(put !== undefined),
    () => settle(false),
  );
}

async function write(put: { id: string; text: string } | undefined, dropped: string | undefined) {
  const transaction = (await openDatabase()).transaction(table, 'readwrite');
  const records = transaction.objectStore(table);
  if (put) records.put({ text: put.text, at: Date.now() }, put.id);
  if (dropped) records.delete(dropped);
  await toDone(transaction);
}

/** Reads what this tab has kept. A browser without a database does not hold up the page. */
export async function openLarge(): Promise<void> {
  const places = readStored(placesName);
  const late = new Promise<void>((resolve) => setTimeout(resolve, openTimeoutMs));
  if (Array.isArray(places)) await Promise.race([readAll(places), late]).catch(() => {});
  void dropOld().catch(() => {});
}

async function readAll(places: readonly unknown[]): Promise<void> {
  const transaction = (await openDatabase()).transaction(table, 'readonly');
  for (const place of places) {
    const [name, id] = Array.isArray(place) ? place : [];
    if (typeof name !== 'string' || typeof id !== 'string') continue;
    const reading = transaction.objectStore(table).get(id);
    reading.onsuccess = () => {
      const text = reading.result?.text;
      if (typeof text !== 'string' || entries.has(name)) return;
      entries.set(name, { value: JSON.parse(text), id, length: text.length });
    };
  }
  await toDone(transaction);
}

async function dropOld(): Promise<void> {
  const records = (await openDatabase()).transaction(table, 'readwrite').objectStore(table);
  const reading = records.index('at').openKeyCursor(IDBKeyRange.upperBound(Date.now() - maxAgeMs));
  reading.onsuccess = () => {
    if (!reading.result) return;
    records.delete(reading.result.primaryKey);
    reading.result.continue();
  };
}

function openDatabase(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('toolyard', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table).createIndex('at', 'at');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return database;
}

function toDone(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
