// Says what a schema refused in a YAML document: where in the text, and what was probably meant.
import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { z } from 'zod';
import { didYouMean } from '../lib/did-you-mean.ts';
import { offsetOf, type Problem, quote } from './yaml-bounds.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export function toProblems(error: z.ZodError, schema: z.ZodType, document: Document): Problem[] {
  return error.issues.flatMap(narrow).flatMap((issue) => describe(issue, schema, document));
}

/** A failed union says little by itself: take the alternative that got furthest before it failed. */
function narrow(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const reach = (issues: readonly Issue[]) => Math.max(0, ...issues.map((each) => each.path.length));
  const furthest = issue.errors.toSorted((a, b) => reach(b) - reach(a))[0];
  if (!furthest || reach(furthest) === 0) return [issue];
  return furthest.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(narrow);
}

function describe(issue: Issue, schema: z.ZodType, document: Document): Problem[] {
  const at = issue.path.length === 0 ? '' : `${toPathText(issue.path)}: `;
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), issue.path);
    return issue.keys.map((key) => ({
      offset: offsetOf(keyNode(document, issue.path, key)),
      message: `${at}unknown key ${quote(key)}.${didYouMean(key, known) || listOf(known)}`,
    }));
  }
  const node = nodeAt(document, issue.path);
  const hint =
    issue.code === 'invalid_value' && isScalar(node)
      ? didYouMean(String(node.value), issue.values.map(String))
      : '';
  return [{ offset: offsetOf(node), message: `${at}${lowerFirst(issue.message)}.${hint}` }];
}

function listOf(known: readonly string[]): string {
  return known.length === 0 ? '' : ` Known keys: ${known.join(', ')}.`;
}

function lowerFirst(message: string): string {
  return message
    .replace(/^Invalid (input|option): /, '')
    .replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
}

function toPathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
}

/** The node at a path, or the innermost one that exists on the way there. */
function nodeAt(document: Document, path: Path): unknown {
  let node: unknown = document.contents;
  for (const step of path) {
    const child = isSeq(node) ? node.items[Number(step)] : valueUnder(node, step);
    if (child === undefined || child === null) break;
    node = child;
  }
  return node;
}

function valueUnder(node: unknown, key: PropertyKey): unknown {
  return isMap(node) ? node.items.find((pair) => isNamed(pair.key, key))?.value : undefined;
}

function keyNode(document: Document, path: Path, key: string): unknown {
  const node = nodeAt(document, path);
  return isMap(node) ? node.items.find((pair) => isNamed(pair.key, key))?.key : node;
}

function isNamed(node: unknown, key: PropertyKey): boolean {
  return isScalar(node) && String(node.value) === String(key);
}

interface JsonSchema {
  [key: string]: unknown;
}

/** The keys a schema knows at a path, gathered over every alternative that leads there. */
function keysAt(root: JsonSchema, path: Path): string[] {
  let schemas = expand(root, root);
  for (const step of path) {
    schemas = schemas.flatMap((schema) => childSchemas(schema, step)).flatMap((child) => expand(child, root));
  }
  return [
    ...new Set(
      schemas.flatMap((schema) => (isObject(schema.properties) ? Object.keys(schema.properties) : [])),
    ),
  ];
}

function childSchemas(schema: JsonSchema, step: PropertyKey): unknown[] {
  if (typeof step === 'number') return [schema.items];
  const own = isObject(schema.properties) ? schema.properties[String(step)] : undefined;
  return [own ?? schema.additionalProperties];
}

/** The schema itself, or all it may stand for: alternatives and one level of reference. */
function expand(schema: unknown, root: JsonSchema): JsonSchema[] {
  if (!isObject(schema)) return [];
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].filter(Array.isArray).flat();
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined;
  const referred = name !== undefined && isObject(root.$defs) ? root.$defs[name] : undefined;
  return [schema, ...[...alternatives, referred].flatMap((each) => expand(each, root))];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
