import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeLongSession } from '../support/long-session.ts';
import { setStage } from '../support/stage.ts';
import { readsSoon, transcriptOf } from '../support/talk.ts';

// How fast it is on which machine, `npm run bench -- --only long-session` says. Here stands what makes it so, and is the
// same on all: the work of a long session beside that of a short one, in time of the page's own thread, in the same run.
const [short, long] = [
  { events: 500, last: 24, id: '' },
  { events: 10_000, last: 499, id: '' },
];
const stage = setStage({
  fill: async (home) => {
    for (const session of [short, long]) session.id = await writeLongSession(home, session.events);
  },
});

interface Work {
  openingMs: number;
  scrollingMs: number;
  elements: number;
  rows: number;
  requests: number;
  frames: number;
}

async function openAndScroll({ id, last }: typeof short): Promise<Work> {
  const page = await stage.openWindow();
  const link = page.getByRole('navigation', { name: 'Sessions' }).locator(`a[href$="${id}"]`);
  await link.waitFor();
  const thread = await page.context().newCDPSession(page);
  await thread.send('Performance.enable', { timeDomain: 'threadTicks' });
  const traffic = countTraffic(page, thread);
  await thread.send('Network.enable');
  const begun = await readThreadMs(thread);
  await link.click();
  await readsSoon(page, new RegExp(`What about step ${last}\\?`));
  const opened = await readThreadMs(thread);
  const { requests, frames } = traffic;
  await scroll(page);
  const scrolled = await readThreadMs(thread);
  return {
    openingMs: opened - begun,
    scrollingMs: scrolled - opened,
    requests,
    frames,
    elements: await transcriptOf(page).locator('*').count(),
    rows: await transcriptOf(page).locator('[data-index]').count(),
  };
}

function countTraffic(page: Page, thread: CDPSession) {
  const traffic = { requests: 0, frames: 0 };
  page.on('request', (request) => {
    // Beside them the page loads what it may need later.
    if (new URL(request.url()).pathname.startsWith('/api/')) traffic.requests += 1;
  });
  thread.on('Network.webSocketFrameReceived', () => {
    traffic.frames += 1;
  });
  return traffic;
}

/** How long the page's thread has worked: it does not run on while another program has the processor. */
async function readThreadMs(thread: CDPSession): Promise<number> {
  const { metrics } = await thread.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** A little in each of so many frames. */
function scroll(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const box = document.querySelector('section[aria-label=Conversation]');
    for (let frame = 0; frame < 80; frame++) {
      box?.scrollBy(0, -40);
      await new Promise(requestAnimationFrame);
    }
  });
}

test('a session of 10,000 events costs little more than a short one: what is drawn, asked and done for it', async () => {
  await openAndScroll(short);
  const [few, many] = [await openAndScroll(short), await openAndScroll(long)];
  // What is drawn is what is in view.
  expect(many.rows).toBeLessThan(60);
  expect(many.elements).toBeLessThan(few.elements * 1.5);
  // Events come in batches over the one line, none by a request of its own.
  expect(many.requests).toBeLessThan(20);
  expect(many.frames).toBeLessThan(long.events / 20);
  // Twenty times the events, far less than twenty times the work (it is about twice); and a frame costs the same.
  expect(many.openingMs / few.openingMs).toBeLessThan(8);
  expect(many.scrollingMs / few.scrollingMs).toBeLessThan(1.75);
});

test('it opens at its end by its address, too, and the way to its beginning is there', async () => {
  const page = await stage.openWindow({ path: `/sessions/${long.id}` });
  await readsSoon(page, /What about step 499\?/);
  await transcriptOf(page).focus();
  await page.keyboard.press('Home');
  await readsSoon(page, /What about step 0\?/);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await readsSoon(page, /What about step 499\?/);
});
