// JSON of anything, however deep: written without recursion, so that no input can overflow the page. Pure.

type Part = { text: string } | { value: unknown };

/** On one line; with `most`, stops soon after that many characters. */
export function toFlatJson(value: unknown, max = Number.POSITIVE_INFINITY): string {
  const todo: Part[] = [{ value }];
  const done: string[] = [];
  let length = 0;
  for (let part = todo.pop(); part && length < max; part = todo.pop()) {
    const text = 'text' in part ? part.text : open(part.value, todo, max - length);
    done.push(text);
    length += text.length;
  }
  return done.join('');
}

/** Writes a plain value, or lays out what is in a list or object. */
function open(value: unknown, todo: Part[], max: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > max ? value.slice(0, max + 1) : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Array.isArray(value) ? value.map((each) => [each]) : Object.entries(value);
  todo.push({ text: Array.isArray(value) ? ']' : '}' });
  for (let at = entries.length - 1; at >= 0; at--) {
    const [first, second] = entries[at] ?? [];
    const isNamed = !Array.isArray(value);
    todo.push({ value: isNamed ? second : first });
    if (isNamed) todo.push({ text: `${JSON.stringify(first)}:` });
    if (at > 0) todo.push({ text: ',' });
  }
  return Array.isArray(value) ? '[' : '{';
}

const maxIndented = 40;

/** In lines, as long as it is not so deep that the indentation would be most of it. */
export function toPrettyJson(value: unknown): string {
  if (value === undefined) return '';
  return isDeeper(value, maxIndented) ? toFlatJson(value) : (JSON.stringify(value, undefined, 2) ?? '');
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
