// This tab's storage, which may be full or forbidden: then what it would keep lives as long as the page.

export function readStored(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

/** `false` when it could not be kept. */
export function store(name: string, value: unknown): boolean {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** What follows `prefix` in the names that have it. */
export function listStored(prefix: string): readonly string[] {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(prefix));
    return names.map((name) => name.slice(prefix.length));
  } catch {
    return [];
  }
}
