// A home that the version before the rooms has left in the middle of its work: killed with an approval waiting, grants,
// an agent that asks and one that works. Today's version makes of it what that version made of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openYard } from '../../../src/app.ts';
import { memoryDirectory } from '../../support/yard.ts';
import { finish, withoutWording } from './story.ts';

test('a home of the version before opens and goes on as it did there', async () => {
  const home = await memoryDirectory();
  for (const name of ['toolyard.db', 'toolyard.db-wal'])
    writeFileSync(join(home, name), gunzipSync(readFileSync(join(import.meta.dirname, `${name}.gz`))));
  const { at, seen } = JSON.parse(readFileSync(join(import.meta.dirname, 'seen.json'), 'utf8'));
  const found = await finish(openYard, home, Date.parse(at));
  expect(withoutWording(found)).toEqual(withoutWording(seen));
});
