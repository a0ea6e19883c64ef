// A session of 10,000 events in a real browser: how soon it stands there once its link is pressed, and how smoothly it
// scrolls. Beside it, in turns, a plain page that simply holds the same words.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@toolyard/sdk';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../packages/web/test/support/chromium.ts';
import { writeLongSession } from '../packages/web/test/support/long-session.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { type Server, startServer } from './processes.ts';
import { median, summarize, toMs } from './samples.ts';

const events = 10_000;
const rounds = 5;
const opensTimeoutMs = 1_000;
const minFrames = 50;
const scrollMs = 2_000;

interface Measured {
  openMs: number[];
  /** Each second. */
  frames: number[];
}

export const longSession: Benchmark = {
  name: 'long-session',
  title: 'a session of 10,000 events opened and scrolled in Chromium, and a plain page (1 min)',
  async run({ folder }) {
    const home = await mkdtemp(join(folder, 'home-'));
    const sessionId = await writeLongSession(home, events);
    await using server = await startServer(home);
    const browser = await startChromium();
    try {
      const words = await readWords(server, sessionId);
      const ours: Measured = { openMs: [], frames: [] };
      const plain: Measured = { openMs: [], frames: [] };
      for (let round = 0; round < rounds; round++) {
        await measure(ours, await openStart(browser, server), openSession);
        await measure(plain, await browser.newPage(), openPlain(words));
      }
      return { rows: [toOpenRow(ours, plain), toScrollRow(ours, plain)], notes: [] };
    } finally {
      await browser.close();
    }
  },
};

async function measure(into: Measured, page: Page, open: (page: Page) => Promise<number>): Promise<void> {
  into.openMs.push(await open(page));
  into.frames.push(await page.evaluate(countFrames, scrollMs));
  await page.context().close();
}

/** Whatever a session's export says, without what is Toolyard's: one paragraph for each block. */
async function readWords({ url, token }: Server, sessionId: string): Promise<string[]> {
  const address = `${url}/api/sessions/${sessionId}/export?format=markdown`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  return (await response.text()).split('\n\n');
}

/** The page with its list of sessions, before one is opened. */
async function openStart(browser: Browser, { url, token }: Server): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto((await createClient({ baseUrl: url, token }).createLoginLink()).url);
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').first().waitFor();
  return page;
}

/** From the press on its link to the frame that shows its last words. */
function openSession(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const startedAt = performance.now();
    document.querySelector<HTMLElement>('nav[aria-label=Sessions] a')?.click();
    const isThere = () =>
      document.querySelector('section[aria-label=Conversation]')?.textContent?.includes('step499');
    while (!isThere()) await new Promise(requestAnimationFrame);
    // The next frame begins when this one has been painted.
    await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  });
}

/** All words at once in a box that scrolls, from when they are there to the frame that shows the last of them. */
function openPlain(words: readonly string[]): (page: Page) => Promise<number> {
  return async (page) => {
    await page.setContent('<section aria-label="Conversation" style="height:100vh;overflow:auto"></section>');
    return page.evaluate(async (texts) => {
      const startedAt = performance.now();
      const box = document.querySelector('section');
      const paragraphs = texts.map((text) =>
        Object.assign(document.createElement('p'), { textContent: text }),
      );
      box?.append(...paragraphs);
      box?.scrollTo(0, box.scrollHeight);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - startedAt;
    }, words);
  };
}

/** In the page: scrolls up a little in each frame, and gives the frames of a second. */
async function countFrames(forMs: number): Promise<number> {
  const box = document.querySelector('section[aria-label=Conversation]');
  const startedAt = performance.now();
  let frames = 0;
  for (let now = startedAt; now - startedAt < forMs; frames++) {
    box?.scrollBy(0, -40);
    now = await new Promise<number>(requestAnimationFrame);
  }
  return (frames * 1_000) / (performance.now() - startedAt);
}

function toOpenRow(ours: Measured, plain: Measured): Row {
  const { median: middle, p99: worst } = summarize(ours.openMs);
  return {
    work: 'open 10,000 events in Chromium',
    ours: `${toMs(middle)} (worst ${toMs(worst)})`,
    peer: `plain page, all words at once: ${toMs(median(plain.openMs))}`,
    ratio: middle / median(plain.openMs),
    target: '< 1 s',
    met: middle < opensTimeoutMs,
    numbers: { median: middle, worst, plain: median(plain.openMs) },
  };
}

function toScrollRow(ours: Measured, plain: Measured): Row {
  const [frames, peer] = [median(ours.frames), median(plain.frames)];
  const worst = Math.min(...ours.frames);
  return {
    work: 'scroll 10,000 events in Chromium',
    ours: `${frames.toFixed(1)} frames/s (worst ${worst.toFixed(1)})`,
    peer: `plain page: ${peer.toFixed(1)} frames/s`,
    ratio: frames / peer,
    target: '≥ 50 frames/s',
    met: frames >= minFrames,
    numbers: { framesPerSecond: frames, worstFramesPerSecond: worst, plainFramesPerSecond: peer },
  };
}
