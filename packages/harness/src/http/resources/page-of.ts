// One page of a list whose ids sort by time.

/** There may be more when the page is full. */
export function toPage<T extends { id: string }>(items: T[], limit: number): { items: T[]; next?: string } {
  const last = items.at(-1);
  return { items, ...(last && items.length === limit && { next: last.id }) };
}
