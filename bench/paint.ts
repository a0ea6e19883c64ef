// From an event to the eye: how long after the engine emitted words they are painted in a real browser. Four processes:
// the scripted model, the server, Chromium, and this one.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '@toolyard/sdk';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../packages/web/test/support/chromium.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { type Server, startModel, startServer } from './processes.ts';
import { summarize, toMs } from './samples.ts';

const counts = [1, 20];
/** How often each arm streams; the arms take turns. */
const turns = 2;
const words = 160;
const toWord = (number: number) => `w${String(number).padStart(5, '0')} `;

/** Each piece of the stream is one word with its number, 20 in a second. */
const scenario = {
  rules: [
    {
      pace: { chunkChars: toWord(0).length, delayMs: 50 },
      reply: [{ text: Array.from({ length: words }, (_, index) => toWord(index + 1)).join('') }],
    },
  ],
};

interface Arm {
  sessions: number;
  delays: number[];
}

/** The highest number on the page, and when it was painted. */
interface Painted {
  word: number;
  at: number;
}

export const paint: Benchmark = {
  name: 'paint',
  title: `events painted in Chromium, ${counts.join(' and ')} sessions streaming (1 min)`,
  async run({ folder }) {
    const scenarioPath = join(folder, 'numbered-words.yaml');
    await writeFile(scenarioPath, JSON.stringify(scenario));
    await using model = await startModel(scenarioPath);
    const home = await mkdtemp(join(folder, 'home-'));
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    await using server = await startServer(home, env);
    const browser = await startChromium();
    try {
      const arms = counts.map((sessions): Arm => ({ sessions, delays: [] }));
      for (let turn = 0; turn < turns; turn++) {
        for (const arm of turn % 2 ? arms.toReversed() : arms) await stream(server, browser, arm);
      }
      return { rows: arms.map(toRow), notes: [] };
    } finally {
      await browser.close();
    }
  },
};

async function stream(server: Server, browser: Browser, { sessions, delays }: Arm): Promise<void> {
  const client = createClient({ baseUrl: server.url, token: server.token });
  const created = await Promise.all(
    Array.from({ length: sessions }, () => client.sessions.create({ engine: 'native' })),
  );
  const [shown = ''] = created.map(({ id }) => id);
  const page = await browser.newPage();
  await page.addInitScript(watchWords);
  // The code of a link works wherever the page is.
  const { hash } = new URL((await client.createLoginLink()).url);
  await page.goto(`${server.url}/sessions/${shown}${hash}`);
  await page.getByRole('textbox', { name: 'Your message' }).waitFor();
  await Promise.all(created.map(({ id }) => client.sessions.send(id, 'say the words')));
  const emitted = await readWords(client, shown);
  delays.push(...toDelays(emitted, await readPainted(page)));
  await page.close();
}

/** When each word's event was emitted, by its number. */
async function readWords(client: Client, sessionId: string): Promise<Painted[]> {
  const emitted: Painted[] = [];
  for await (const event of client.sessions.events(sessionId)) {
    if (event.type === 'turn_end') return emitted;
    const [last] = event.type === 'text_delta' ? (event.data.text.match(/w\d{5}/g) ?? []).toReversed() : [];
    if (last) emitted.push({ word: Number(last.slice(1)), at: Date.parse(event.at) });
  }
  return emitted;
}

async function readPainted(page: Page): Promise<Painted[]> {
  await page.getByText(toWord(words).trim()).waitFor();
  await page.waitForTimeout(200);
  return page.evaluate(() => Reflect.get(window, 'painted'));
}

/** An event is painted when its word, or a later one, is. */
function toDelays(emitted: readonly Painted[], painted: readonly Painted[]): number[] {
  return emitted.flatMap(({ word, at }) => {
    const shown = painted.find((each) => each.word >= word);
    return shown ? [shown.at - at] : [];
  });
}

/** In the page. What changes it is drawn in a frame; a task that is queued then runs when the frame is done. */
function watchWords(): void {
  const painted: { word: number; at: number }[] = [];
  Reflect.set(window, 'painted', painted);
  let highest = 0;
  const look = () => {
    const text = document.querySelector('section[aria-label=Conversation]')?.textContent ?? '';
    const word = Number(text.slice(text.lastIndexOf('w0') + 1, text.lastIndexOf('w0') + 6));
    if (!(word > highest)) return;
    highest = word;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => painted.push({ word, at: performance.timeOrigin + performance.now() });
    port2.postMessage(undefined);
  };
  new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
}

function toRow({ sessions, delays }: Arm): Row {
  const { median, p99, count } = summarize(delays);
  return {
    work: `event to paint in Chromium, ${sessions} ${sessions === 1 ? 'session' : 'sessions'} streaming`,
    ours: `p50 ${toMs(median)}, p99 ${toMs(p99)}`,
    numbers: { median, p99, events: count },
  };
}
