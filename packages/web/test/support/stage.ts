// One server for a test file, one browser for all of them, and windows that a test opens. A window in which the page
// broke, or broke its own policy, fails the test that opened it.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { shareChromium } from './chromium.ts';
import { type ServerWishes, startServer, type TestServer } from './server.ts';

export interface WindowWishes {
  /** What is opened after the login. */
  path?: string;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce';
  hasTouch?: boolean;
  /** What the browser itself reports in this test, such as a request that nobody answered. */
  expected?: RegExp;
  /** Before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>;
}

export type Stage = ReturnType<typeof setStage>;

/** A browser is slow on a busy machine. */
const testsTimeoutMs = 60_000;
export const patienceMs = 20_000;

export function setStage(wishes: ServerWishes = {}) {
  const opened: { context: BrowserContext; faults: string[] }[] = [];
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  vi.setConfig({ testTimeout: testsTimeoutMs, hookTimeout: testsTimeoutMs });

  beforeAll(async () => {
    [browser, server] = await Promise.all([shareChromium(), startServer(wishes)]);
  });
  afterEach(async () => {
    const all = opened.splice(0);
    await Promise.all(all.map(({ context }) => context.close()));
    expect(all.flatMap(({ faults }) => faults)).toEqual([]);
  });
  afterAll(async () => {
    await server?.end();
  });

  const theServer = (): TestServer => server ?? fail('the server has not started');

  /** A browser of somebody's, with its own login. */
  async function openContext(wanted: WindowWishes): Promise<BrowserContext> {
    const { width = 1280, height = 800, colorScheme = 'light', reducedMotion, hasTouch = false } = wanted;
    const context = await (browser ?? fail('the browser has not started')).newContext({
      viewport: { width, height },
      colorScheme,
      hasTouch,
      ...(reducedMotion && { reducedMotion }),
    });
    context.setDefaultTimeout(patienceMs);
    const faults: string[] = [];
    watch(context, faults, wanted.expected);
    await context.addInitScript(reportViolations);
    opened.push({ context, faults });
    return context;
  }

  /** Takes the link without showing what it leads to: the page is loaded once, where the test wants it. */
  async function logIn(context: BrowserContext): Promise<void> {
    const answer = await context.request.get(await theServer().loginLink(), { maxRedirects: 0 });
    expect(answer.status()).toBe(303);
  }

  return {
    server: theServer,
    async openWindow(wanted: WindowWishes = {}): Promise<Page> {
      const context = await openContext(wanted);
      const page = await context.newPage();
      await wanted.prepare?.(page);
      await logIn(context);
      await page.goto(`${theServer().url}${wanted.path ?? '/'}`);
      return page;
    },
    /** Without a login. */
    async openStranger(wanted: WindowWishes = {}): Promise<Page> {
      const page = await (await openContext(wanted)).newPage();
      await page.goto(`${theServer().url}${wanted.path ?? '/'}`);
      return page;
    },
    async openSession(wanted: WindowWishes = {}): Promise<{ page: Page; sessionId: string }> {
      const { id } = await theServer().client.sessions.create({ engine: 'native' });
      return { page: await this.openWindow({ ...wanted, path: `/sessions/${id}` }), sessionId: id };
    },
  };
}

function fail(message: string): never {
  throw new Error(message);
}

function watch(context: BrowserContext, faults: string[], expected: RegExp | undefined): void {
  const note = (fault: string) => {
    if (!expected?.test(fault)) faults.push(fault);
  };
  context.on('console', (said) => {
    if (said.type() === 'error') note(`${said.text()} ${said.location().url}`);
  });
  context.on('weberror', (error) => note(`${error.error().stack ?? error.error().message}`));
}

function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    reportError(new Error(`policy broken: ${violatedDirective} by ${blockedURI} ${sample}`));
  });
}

/** What the browser reports of requests without a login. */
export const notLoggedIn = /401|Authentication failed/;
/** Requests that fail because the server is away; 426 when it comes back just as it is asked why it was not there. */
export const serverAway =
  /ERR_CONNECTION|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|WebSocket connection to|426/;
