// One server for a test file, one browser for all of them, and windows that a test opens. A window in which the page
// broke, or broke its own policy, fails the test that opened it, or that was in it when it broke.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { shareChromium } from './chromium.ts';
import { goWithin } from './leaving.ts';
import { begins } from './log-in.ts';
import { type ServerWishes, startServer, type TestServer } from './server.ts';

export interface Size {
  width?: number;
  height?: number;
}

export interface WindowWishes extends Size {
  /** What is opened after the login. */
  path?: string;
  colorScheme?: 'light' | 'dark';
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
  let common: Page | undefined;
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  vi.setConfig({ testTimeout: testsTimeoutMs, hookTimeout: testsTimeoutMs });

  beforeAll(async () => {
    [browser, server] = await Promise.all([shareChromium(), startServer(wishes)]);
  });
  afterEach(async ({ task }) => {
    const all = opened.splice(0);
    // The next test does not go on where this one went wrong.
    if (task.result?.state === 'fail' || all.some(({ faults }) => faults.length > 0)) common = undefined;
    for (const each of all)
      if (each.context === common?.context()) opened.push(each);
      else await each.context.close();
    expect(all.flatMap(({ faults }) => faults)).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(opened.map(({ context }) => context.close()));
    await server?.end();
  });

  const theServer = (): TestServer => server ?? fail('the server has not started');

  async function closeCommon(): Promise<void> {
    await common?.context().close();
    common = undefined;
  }

  /** A browser of somebody's, with its own login. */
  async function openContext(wanted: WindowWishes): Promise<BrowserContext> {
    // A server that goes or a login that ends is expected here, and a fault in the window that tests share.
    if (wanted.expected) await closeCommon();
    const { width = 1280, height = 800, colorScheme = 'light', hasTouch = false } = wanted;
    const context = await (browser ?? fail('the browser has not started')).newContext({
      viewport: { width, height },
      colorScheme,
      hasTouch,
    });
    context.setDefaultTimeout(patienceMs);
    const faults: string[] = [];
    watch(context, faults, wanted.expected);
    await context.addInitScript(reportViolations);
    opened.push({ context, faults });
    return context;
  }

  return {
    server: theServer,
    async openWindow(wanted: WindowWishes = {}): Promise<Page> {
      const context = await openContext(wanted);
      const page = await context.newPage();
      await wanted.prepare?.(page);
      // A link leads to the start; its code works wherever the page is, so that it is loaded once, where the test wants it.
      const { hash } = new URL(await theServer().loginLink());
      await page.goto(`${theServer().url}${wanted.path ?? '/'}${hash}`);
      await begins(page);
      return page;
    },
    /** Without a login. */
    async openStranger(wanted: WindowWishes = {}): Promise<Page> {
      const page = await (await openContext(wanted)).newPage();
      await page.goto(`${theServer().url}${wanted.path ?? '/'}`);
      return page;
    },
    /**
     * In the one window of the tests that need nothing of a new browser: the page is loaded for the first of them, and
     * the others go to their place within it. What they store is their own session's.
     */
    async goTo(path: string, { width = 1280, height = 800 }: Size = {}): Promise<Page> {
      if (!common) {
        common = await this.openWindow({ path, width, height });
        return common;
      }
      await common.unrouteAll({ behavior: 'wait' });
      await common.context().clearPermissions();
      await common.emulateMedia({ colorScheme: 'light', reducedMotion: null });
      await common.setViewportSize({ width, height });
      // By a place that has nothing: what the test before left on its screen is gone.
      await goWithin(common, '/nothing');
      await common.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      await goWithin(common, path);
      return common;
    },
    async goToSession(size: Size = {}): Promise<{ page: Page; sessionId: string }> {
      const { id } = await theServer().client.sessions.create({ engine: 'native' });
      return { page: await this.goTo(`/sessions/${id}`, size), sessionId: id };
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
