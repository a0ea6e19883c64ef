// Keeps the login in a database of this browser, which is this origin's alone and which a service worker can read, too.
// Where there is no database, in the other storage of this origin; where there is neither, as long as the page.

const table = 'login';
const key = 'secret';
const plainKey = 'toolyard.login';
const timeoutMs = 3_000;

export async function readKeptLogin(): Promise<string | undefined> {
  const found = await inTime((records) => records.get(key), 'readonly');
  return typeof found === 'string' ? found : readPlain();
}

/** Nothing: none is kept any more. */
export async function keepLogin(secret: string | undefined): Promise<void> {
  const write = (records: IDBObjectStore) =>
    secret === undefined ? records.delete(key) : records.put(secret, key);
  const written = await inTime(write, 'readwrite');
  keepPlain(written === undefined ? secret : undefined);
}

/** What the work gives once it is durable; nothing when the browser will not do it, or not soon. */
async function inTime(
  work: (records: IDBObjectStore) => IDBRequest,
  mode: IDBTransactionMode,
): Promise<unknown> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, timeoutMs));
  return Promise.race([inDatabase(work, mode), late]).catch(() => undefined);
}

async function inDatabase(
  work: (records: IDBObjectStore) => IDBRequest,
  mode: IDBTransactionMode,
): Promise<unknown> {
  const opening = indexedDB.open('toolyard.login', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(table);
  await new Promise((resolve, reject) => {
    opening.onsuccess = resolve;
    opening.onerror = () => reject(opening.error);
  });
  const database = opening.result;
  const transaction = database.transaction(table, mode);
  const request = work(transaction.objectStore(table));
  const done = new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
  return done.finally(() => database.close());
}

function readPlain(): string | undefined {
  try {
    return localStorage.getItem(plainKey) ?? undefined;
  } catch {
    return undefined;
  }
}

function keepPlain(secret: string | undefined): void {
  try {
    if (secret === undefined) localStorage.removeItem(plainKey);
    else localStorage.setItem(plainKey, secret);
  } catch {}
}
