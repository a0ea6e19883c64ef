// What is wrong with a value, in words a person can act on. Pure.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export function sayIssue(issue: Issue): string {
  if (issue.code === 'too_small') return sayBound(issue.origin, issue.minimum, sayLeast(issue));
  if (issue.code === 'too_big') return sayBound(issue.origin, issue.maximum, sayMost(issue));
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
  record: 'a group of names with values',
};

function sayLeast({ inclusive }: { inclusive?: boolean | undefined }): string {
  return inclusive === false ? 'more than' : 'at least';
}

function sayMost({ inclusive }: { inclusive?: boolean | undefined }): string {
  return inclusive === false ? 'less than' : 'at most';
}

const lengths: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

function sayBound(origin: string, bound: number | bigint, how: string): string {
  const unit = lengths[origin];
  const shown = bound.toLocaleString('en-US');
  return unit ? `it must have ${how} ${shown} ${unit}` : `it must be ${how} ${shown}`;
}

function listOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}
