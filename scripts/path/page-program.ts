// Run by `openPage`: the page in Chromium, as Vite serves it in development, a module for each file. Types the message,
// sends it when told to, and tells the page's call stacks.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import type { CDPSession } from 'playwright-core';
import { createServer } from 'vite';
import { startChromium } from '../../packages/web/test/support/chromium.ts';
import { isSource, root } from '../source/repository.ts';
import { type Frame, maxDepth, type Trace, toStack } from './call-stacks.ts';
import type { PageOptions, PageStacks } from './page.ts';
import { watchInPage } from './watch-in-page.ts';

/** By then the turn has ended, and the lists that show it are drawn again. */
const endedAfterMs = 1_500;
const left = once(process, 'disconnect');
const { server, link, sessionId, question, answer }: PageOptions = JSON.parse(process.argv[2] ?? '');
await using opened = new AsyncDisposableStack();
const url = await serve();
const browser = opened.adopt(await startChromium(), (started) => started.close());
const context = await browser.newContext();
const page = await context.newPage();
const traces = await record(await context.newCDPSession(page));
await page.addInitScript(watchInPage, [question, answer]);
await page.goto(`${url}/sessions/${sessionId}${new URL(link).hash}`);
await page.getByRole('textbox', { name: 'Your message' }).fill(question);
await page.waitForLoadState('networkidle');
process.once('message', () => void send());
process.send?.('ready');
await left;

async function send(): Promise<void> {
  traces.length = 0;
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(answer).waitFor();
  await pause(endedAfterMs);
  process.send?.(toStacks(traces));
}

async function serve(): Promise<string> {
  const folder = join(root, 'packages/web');
  const cacheDir = await mkdtemp(join(tmpdir(), 'toolyard-vite-'));
  opened.defer(() => rm(cacheDir, { recursive: true, force: true }));
  const vite = await createServer({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    cacheDir,
    logLevel: 'error',
    server: {
      host: '127.0.0.1',
      port: 0,
      hmr: false,
      watch: null,
      proxy: { '/api': { target: server, ws: true } },
    },
  });
  opened.defer(() => vite.close());
  await vite.listen();
  const address = vite.httpServer?.address();
  if (typeof address !== 'object' || !address) throw new Error('Vite does not listen.');
  return `http://127.0.0.1:${address.port}`;
}

/** Grows with each trace of the console. */
async function record(debug: CDPSession): Promise<Trace[]> {
  const kept: Trace[] = [];
  debug.on('Runtime.consoleAPICalled', ({ type, args: [label], stackTrace }) => {
    if (type === 'trace' && stackTrace)
      kept.push({ text: String(label?.value), stack: toStack(stackTrace, toFrame) });
  });
  await debug.send('Runtime.enable');
  await debug.send('Debugger.enable');
  await debug.send('Debugger.setAsyncCallStackDepth', { maxDepth });
  return kept;
}

/** The page's own files lie under `/src`, those of the sdk under their place on the disk. Lines are not the source's. */
function toFrame({ functionName, url: address }: { functionName: string; url: string }): Frame | undefined {
  const { pathname } = new URL(address, url);
  const onDisk = `/@fs${root}/`;
  const file = pathname.startsWith(onDisk) ? pathname.slice(onDisk.length) : `packages/web${pathname}`;
  return isSource(file) ? { file, place: functionName || 'anonymous' } : undefined;
}

function toStacks(kept: readonly Trace[]): PageStacks {
  for (const label of ['sent', 'arrived', 'drawn'])
    if (!kept.some(({ text }) => text === label))
      throw new Error(`Nothing was ${label}: what does the page do?`);
  const sentAt = kept.findIndex(({ text }) => text === 'sent');
  const stacks = kept.map(({ stack }) => stack);
  return { down: stacks.slice(0, sentAt + 1), up: stacks.slice(sentAt + 1) };
}
