// Fills `{{…}}` in a scenario's replies with what the conversation holds.
import { didYouMean } from '../../core/lib/did-you-mean.ts';
import type { Conversation, ToolResult } from '../request/conversation.ts';
import type { Captures } from './phrase.ts';

const variable = /\{\{\s*([a-zA-Z0-9_.-]+)\s*\}\}/g;
const wholeVariable = /^\{\{\s*([a-zA-Z0-9_.-]+)\s*\}\}$/;
/** Longest value one variable may put in, and all of one text together. */
const maxValueLength = 20_000;
const maxValuesLength = 1_000_000;

const known = [
  ...['user', 'firstUser', 'userTexts', 'images', 'files', 'step', 'model'],
  ...['tools', 'tool', 'result', 'results'],
];

export interface TemplateScope {
  conversation: Conversation;
  captures: Captures;
  /** The results that made the rule fit. */
  results: ToolResult[];
}

/** Says what is wrong with the variables in any string inside `value`, for whoever writes the scenario. */
export function checkTemplate(value: unknown, captures: string[]): string | undefined {
  const taken = captures.find((name) => known.includes(name));
  if (taken) return `{${taken}} captures into a name that already has a meaning`;
  const names = stringsIn(value).flatMap((text) =>
    [...text.matchAll(variable)].map((match) => match[1] ?? ''),
  );
  for (const name of names) {
    const [root = '', ...path] = name.split('.');
    if (root === 'result' || root === 'results') continue;
    if (path.length === 0 && [...known, ...captures].includes(root)) continue;
    return `unknown variable {{${name}}}.${didYouMean(root, [...known, ...captures])}`;
  }
  return undefined;
}

export function renderText(template: string, scope: TemplateScope): string {
  let left = maxValuesLength;
  return template.replace(variable, (_, name: string) => {
    const value = toText(lookUp(name, scope), name).slice(0, Math.min(maxValueLength, left));
    left -= value.length;
    return value;
  });
}

/** Like `renderText` for every string inside; a string that is one variable takes its value, whatever the type. */
export function renderValue(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === 'string') {
    const name = wholeVariable.exec(value)?.[1];
    return name === undefined ? renderText(value, scope) : (lookUp(name, scope) ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope)]));
}

function lookUp(name: string, { conversation, captures, results }: TemplateScope): unknown {
  const [root = '', ...path] = name.split('.');
  if (root === 'result') {
    if (path.length === 0) return results[0]?.text;
    return results.map((result) => fieldOf(result, path)).find((value) => value !== undefined);
  }
  if (root === 'results') {
    const [first = '', ...rest] = path;
    if (isPlace(first)) return partOf(results[Number(first)], rest);
    return results.map((result) => toText(partOf(result, path), name)).join(' ');
  }
  if (root === 'tool') return results[0]?.tool;
  if (root === 'tools') return conversation.tools.join(', ');
  const values: Record<string, unknown> = { ...conversation, ...captures };
  return Object.hasOwn(values, root) ? values[root] : undefined;
}

/** `{{results.1.agentId}}` means one of several results; `{{results.agentId}}` means all of them. */
function isPlace(key: string): boolean {
  return /^\d{1,3}$/.test(key);
}

function partOf(result: ToolResult | undefined, path: string[]): unknown {
  return result && path.length > 0 ? fieldOf(result, path) : result?.text;
}

function fieldOf(result: ToolResult, path: string[]): unknown {
  let value = parseJson(result.text);
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The JSON of a result stands in its first lines; what other blocks add after it is left out. */
function parseJson(text: string): unknown {
  for (const candidate of [text, text.split('\n', 1)[0] ?? '']) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

function toText(value: unknown, name: string): string {
  if (value === undefined || value === '') return `(no ${name})`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
