// Checks a value that somebody's code hands over, and says in one sentence what is wrong with it. Files say it with line
// and column: see yaml.ts.
import { ToolyardError } from '@toolyard/sdk';
import type { z } from 'zod';

const maxProblems = 3;

/** Throws `invalid_config`: `name: path: what, and what was probably meant`. */
export async function requireValid(schema: z.ZodType, value: unknown, name: string): Promise<void> {
  const { error } = schema.safeParse(value);
  if (!error) return;
  const [{ Document }, { toProblems }] = await Promise.all([import('yaml'), import('./yaml-problems.ts')]);
  // Without a text there are no places in it, only words.
  const messages = toProblems(error, schema, new Document()).map(({ message }) => message);
  const more = messages.length > maxProblems ? [`And ${messages.length - maxProblems} more.`] : [];
  throw new ToolyardError(
    'invalid_config',
    `${name}: ${[...messages.slice(0, maxProblems), ...more].join(' ')}`,
  );
}
