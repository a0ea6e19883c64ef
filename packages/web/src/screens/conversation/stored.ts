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
