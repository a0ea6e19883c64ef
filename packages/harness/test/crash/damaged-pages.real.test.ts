// Damages every page of a database in turn: whoever opens it is told, or finds every event as it was. One flipped bit a
// page by default, ten with TOOLYARD_SOAK=full.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { isFullSoak } from '../support/soak.ts';
import { createDamagedHome, type DamagedHome, type Outcome } from './damaged-home.ts';
import { createRandom } from './random.ts';

const pageBytes = 4_096;
const flipsPerPage = isFullSoak ? 10 : 1;

type Damage = (page: Buffer) => void;

/** Damages each page of a copy and tells, for each, what came of it. */
async function damageEach(
  home: DamagedHome,
  damage: Damage,
): Promise<{ page: number; outcome: string; detail: Outcome }[]> {
  const found = [];
  for (let page = 1; page <= home.database.length / pageBytes; page += 1) {
    const database = Buffer.from(home.database);
    damage(database.subarray((page - 1) * pageBytes, page * pageBytes));
    const detail = await home.openWith(database);
    found.push({ page, outcome: toWord(detail, home), detail });
  }
  return found;
}

function toWord(outcome: Outcome, { logs }: DamagedHome): string {
  if ('refused' in outcome) return `refused: ${outcome.refused}`;
  if ('reported' in outcome) return `reported: ${outcome.reported}`;
  return JSON.stringify(outcome.logs) === JSON.stringify(logs) ? 'whole' : 'hidden';
}

/** Nobody looks at pages that hold nothing: the leaves of SQLite's list of free pages, and what lies behind the last. */
function unusedPages(database: Buffer): Set<number> {
  const unused = new Set<number>();
  for (let page = database.length / pageBytes; page > database.readUInt32BE(28); page -= 1) unused.add(page);
  for (let trunk = database.readUInt32BE(32); trunk > 0; ) {
    const list = database.subarray((trunk - 1) * pageBytes, trunk * pageBytes);
    for (let leaf = 0; leaf < list.readUInt32BE(4); leaf += 1) unused.add(list.readUInt32BE(8 + leaf * 4));
    trunk = list.readUInt32BE(0);
  }
  return unused;
}

test('P15: a page of zeros is reported wherever it lies', { timeout: 400_000 }, async () => {
  const home = await createDamagedHome();
  const unused = unusedPages(home.database);
  const found = await damageEach(home, (page) => page.fill(0));
  const silent = found.filter(({ outcome }) => !/^(refused|reported): database_corrupt$/.test(outcome));
  expect(silent.filter(({ page, outcome }) => outcome !== 'whole' || !unused.has(page))).toEqual([]);
});

test('P15: a flipped bit is reported or changes no event', { timeout: 400_000 }, async () => {
  const home = await createDamagedHome();
  const seed = randomInt(2 ** 31);
  const random = createRandom(seed);
  const flip: Damage = (page) => {
    // Most of a page's zeros are not in use.
    const used = [...page.keys()].filter((at) => page.readUInt8(at) !== 0);
    const at = used[random.between(0, used.length - 1)] ?? 0;
    page.writeUInt8(page.readUInt8(at) ^ (1 << random.between(0, 7)), at);
  };
  const found = [];
  for (let round = 0; round < flipsPerPage; round += 1) found.push(...(await damageEach(home, flip)));
  // A few bits of the header stand for the file's format: then the start is refused for another reason.
  const reported = found.filter(({ outcome }) => /^refused: |^reported: database_corrupt$/.test(outcome));
  const hidden = found.filter((one) => one.outcome !== 'whole' && !reported.includes(one));
  const enough = reported.length > found.length / 3;
  expect({ seed, hidden, enough }).toEqual({ seed, hidden: [], enough: true });
});
