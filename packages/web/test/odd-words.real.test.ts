import { expect, test } from 'vitest';
import { patienceMs, setStage } from './support/stage.ts';
import { composerOf, readsSoon, readText, say, transcriptOf } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

test('a title keeps what joins its letters, and shows whole where it is cut', async () => {
  const family = '👩‍👩‍👧‍👦';
  const title = `${family} می‌خواهم ${'and on '.repeat(20)}`.trim();
  const { id } = await stage.server().client.sessions.create({ engine: 'native', title });
  const page = await stage.goTo(`/sessions/${id}`);
  const heading = page.getByRole('heading', { level: 1 });
  await expect.poll(() => heading.innerText(), patience).toBe(title);
  expect(await heading.getByRole('button').getAttribute('title')).toBe(`${title} (rename)`);
  const row = page.getByRole('navigation', { name: 'Sessions' }).locator(`a[href$="${id}"]`);
  await expect.poll(() => row.getByTitle(title).count(), patience).toBe(1);
});

test('H11: a link says its true host, keeps its address or is none, and what draws nothing shows', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'odd links');
  await readsSoon(page, /Here is⟨U\+2800⟩nothing\./);
  const links = await transcriptOf(page).getByRole('link').all();
  expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
    'https://good.example@evil.example/',
    'https://good.example:secret@evil.example/',
    'https://xn--pple-43d.example/',
  ]);
  const text = (await readText(transcriptOf(page))).replace(/\s+/g, ' ');
  expect(text).toContain('https://good.example@evil.example/ evil.example is one');
  expect(text).toContain('https://good.example evil.example another');
  expect(text).toContain('a picture (https://good.example/⟨U+202E⟩gpj.exe) a third');
  expect(text).toContain('apple.example xn--pple-43d.example a fourth');
});

test('what is written from the right is laid out from the right, a line of a cell is broken, a footnote is read', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'from the right');
  await readsSoon(page, /A foot\[\^1\]\.\s+\[\^1\]: note/);
  const talk = transcriptOf(page);
  const ways = await talk
    .locator('[dir]')
    .evaluateAll((all) =>
      all.map((one) => `${getComputedStyle(one).direction} ${one.textContent?.slice(0, 4)}`),
    );
  expect(ways).toEqual([
    ...['ltr from', 'rtl שלום', 'rtl מרחב', 'rtl ציטו', 'rtl ציטו', 'rtl אחדt', 'rtl שםמס'],
    ...['rtl שם', 'rtl מספר', 'rtl דנה', 'ltr onet', 'ltr A fo', 'ltr [^1]'],
  ]);
  expect(await talk.getByRole('cell', { name: 'one two' }).locator('br').count()).toBe(1);
  expect(await talk.getByText('<br>').count()).toBe(0);
  await composerOf(page).fill('שלום');
  expect(await composerOf(page).evaluate((field) => getComputedStyle(field).direction)).toBe('rtl');
});
