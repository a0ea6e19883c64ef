// A change of the configuration, before anything is written: which keys, to what, and why not. Pure.

import { type ChangeConfig, Config, ToolyardError } from '@toolyard/sdk';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from '../lib/did-you-mean.ts';
import { type ConfigKey, listConfigKeys } from './config-keys.ts';

export interface KeyChange {
  path: readonly string[];
  /** `null`: as if nobody had said anything. */
  value: unknown;
}

export interface Issue {
  /** Dotted. */
  path: string;
  message: string;
}

const maxChanges = 200;

/** Throws `invalid_request` with an issue for each key that is not there or not to be changed from here. */
export function toChanges(wanted: ChangeConfig): KeyChange[] {
  const issues: Issue[] = [];
  const changes = flatten(wanted, [], issues);
  if (changes.length > maxChanges)
    issues.push({ path: 'body', message: `change at most ${maxChanges} keys at once` });
  if (changes.length === 0 && issues.length === 0)
    issues.push({ path: 'body', message: 'name at least one key to change' });
  if (issues.length > 0) throw refuse(issues);
  return changes;
}

function flatten(value: unknown, path: readonly string[], issues: Issue[]): KeyChange[] {
  const key = keyAt(path);
  if (!key && isGroup(path) && isPlain(value)) {
    return Object.entries(value).flatMap(([name, nested]) => flatten(nested, [...path, name], issues));
  }
  const problem = key ? formatRefusal(key) : formatUnknown(path);
  if (problem) {
    issues.push({ path: path.join('.').slice(0, 100), message: problem });
    return [];
  }
  if (!key?.isMap || !isPlain(value)) return [{ path, value }];
  return Object.entries(value).map(([name, nested]) => ({ path: [...path, name], value: nested }));
}

function formatRefusal({ editable, where }: ConfigKey): string | undefined {
  return editable ? undefined : `it cannot be set here. ${where}`;
}

function formatUnknown(path: readonly string[]): string {
  if (isGroup(path)) return 'it is a group of keys; set one of its keys';
  const names = listConfigKeys().map(({ key }) => key);
  return `there is no such key.${didYouMean(path.join('.'), names)}`;
}

function keyAt(path: readonly string[]): ConfigKey | undefined {
  return listConfigKeys().find(({ key }) => key === path.join('.'));
}

function isGroup(path: readonly string[]): boolean {
  const prefix = path.map((step) => `${step}.`).join('');
  return listConfigKeys().some(({ key }) => key.startsWith(prefix) && key !== path.join('.'));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes the changes into the document of the file, and leaves all else in it, comments too, as it is. */
export function applyChanges(document: Document, changes: readonly KeyChange[]): void {
  for (const { path, value } of changes) {
    // A plain value takes the place of one, and the comment behind it stays.
    const isPart = typeof value === 'object';
    if (value !== null) document.setIn(path, isPart ? document.createNode(value) : value);
    else if (document.hasIn(path)) document.deleteIn(path);
  }
}

/** What the whole of it means. Throws `invalid_request` with an issue for each value that its key does not take. */
export function requireConfig(value: unknown): Config {
  const parsed = Config.safeParse(value ?? undefined);
  if (parsed.success) return parsed.data;
  throw refuse(
    parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: formatIssue(issue) })),
  );
}

export function refuse(issues: readonly Issue[]): ToolyardError {
  const shown = issues.slice(0, 20).map(({ path, message }) => ({
    path: path.slice(0, 100),
    message: message.slice(0, 300),
  }));
  const sentence = shown.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new ToolyardError('invalid_request', sentence.slice(0, 1_000), { data: { issues: shown } });
}

/** What is wrong with a value, in words a person can act on. */
export function formatIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return formatBound(issue.origin, issue.minimum, formatMin(issue));
  if (issue.code === 'too_big') return formatBound(issue.origin, issue.maximum, formatMax(issue));
  if (issue.code === 'invalid_type') return `it must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `it must be ${listOf(issue.values.map(String))}`;
  if (issue.code === 'not_multiple_of') return `it must be a multiple of ${issue.divisor}`;
  return issue.message;
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a map of names to values',
};

function formatMin({ inclusive }: { inclusive?: boolean | undefined }): string {
  return inclusive === false ? 'more than' : 'at least';
}

function formatMax({ inclusive }: { inclusive?: boolean | undefined }): string {
  return inclusive === false ? 'less than' : 'at most';
}

const lengths: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

function formatBound(origin: string, bound: number | bigint, how: string): string {
  const unit = lengths[origin];
  const shown = bound.toLocaleString('en-US');
  return unit ? `it must have ${how} ${shown} ${unit}` : `it must be ${how} ${shown}`;
}

function listOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}
