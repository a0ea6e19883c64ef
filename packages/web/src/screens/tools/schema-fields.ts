// The fields of a JSON Schema, for reading and for a form. Pure. What it cannot say simply is left to JSON.

export interface SchemaField {
  name: string;
  required: boolean;
  description: string;
  /** `string`, `integer`, `list of string`, `a | b`. */
  type: string;
  /** `1 to 100`, `at most 64 characters`. */
  bounds: string;
  standard: unknown;
  /** What a form shows for it. */
  control: 'text' | 'number' | 'switch' | 'choice' | 'json';
  choices: readonly string[];
}

type Schema = Record<string, unknown>;

/** `undefined` when the schema is not that of an object with named fields. */
export function toFields(schema: Schema): SchemaField[] | undefined {
  const { properties, required, type } = schema;
  if (type !== 'object' && !isSchema(properties)) return undefined;
  if (!isSchema(properties))
    return schema.additionalProperties === false || !schema.additionalProperties ? [] : undefined;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, value]) => {
    const field = isSchema(value) ? value : {};
    const choices = Array.isArray(field.enum) ? field.enum.filter((one) => typeof one === 'string') : [];
    return {
      name,
      choices,
      standard: field.default,
      required: names.includes(name),
      description: typeof field.description === 'string' ? field.description : '',
      type: formatType(field),
      bounds: formatBounds(field),
      control: toControl(field, choices),
    };
  });
}

function toControl(field: Schema, choices: readonly string[]): SchemaField['control'] {
  if (choices.length > 0) return 'choice';
  if (field.type === 'boolean') return 'switch';
  if (field.type === 'integer' || field.type === 'number') return 'number';
  return field.type === 'string' ? 'text' : 'json';
}

function formatType(field: Schema): string {
  if (Array.isArray(field.enum)) return field.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  const options = [field.anyOf, field.oneOf].find(Array.isArray);
  if (options) return options.map((one) => (isSchema(one) ? formatType(one) : 'anything')).join(' | ');
  if (field.type === 'array')
    return `list of ${isSchema(field.items) ? formatType(field.items) : 'anything'}`;
  if (Array.isArray(field.type)) return field.type.join(' | ');
  return typeof field.type === 'string' ? field.type : 'anything';
}

/** Bounds that a schema states only because numbers in JavaScript end there. */
const isWide = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER;

function formatBounds({ minimum, maximum, minLength, maxLength, pattern, format }: Schema): string {
  const bounds = [
    formatRange(isWide(minimum) ? undefined : minimum, isWide(maximum) ? undefined : maximum, ''),
    formatRange(minLength, maxLength, ' characters'),
    typeof format === 'string' ? format : '',
    typeof pattern === 'string' && typeof format !== 'string' ? `like ${pattern}` : '',
  ];
  return bounds.filter(Boolean).join(', ');
}

function formatRange(min: unknown, max: unknown, what: string): string {
  if (typeof min === 'number' && typeof max === 'number') return `${min} to ${max}${what}`;
  if (typeof min === 'number') return `at least ${min}${what}`;
  return typeof max === 'number' ? `at most ${max}${what}` : '';
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Draft = Readonly<Record<string, string>>;

/** What a form's words mean. Fields that were left empty are left out; what is no value says so, by field. */
export function toInput(
  fields: readonly SchemaField[],
  draft: Draft,
): { input: Record<string, unknown>; problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const pairs = fields.flatMap((field): [string, unknown][] => {
    const text = draft[field.name] ?? '';
    if (text === '') {
      if (field.required) problems[field.name] = 'It needs a value.';
      return [];
    }
    const value = toValue(field, text);
    if (value === undefined)
      problems[field.name] = field.control === 'number' ? 'Use a number.' : 'This is not JSON.';
    return [[field.name, value]];
  });
  return { input: Object.fromEntries(pairs), problems };
}

function toValue({ control }: SchemaField, text: string): unknown {
  if (control === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (control === 'switch') return text === 'true';
  return control === 'json' ? parseJson(text) : text;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
