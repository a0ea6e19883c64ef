// Finds and starts the browser that the tests look at the page with. It is the system's own: nothing is downloaded.
import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one without windows first: it does the same work in about two thirds of the time. */
const usualPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Quiet and alone: it asks nobody anything that the page does not ask. */
const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function findChromium(env: NodeJS.ProcessEnv = process.env, paths = usualPaths): string {
  const named = env.CHROMIUM;
  const found = (named ? [named] : paths).find(isProgram);
  if (found) return found;
  throw new Error(
    named
      ? `CHROMIUM names ${named}, which cannot be run: name Chromium’s program, or leave the variable away.`
      : 'These tests need Chromium: install it (`apt-get install chromium-headless-shell` on Debian), or name its program in CHROMIUM.',
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

let shared: Promise<Browser> | undefined;

/** One for all test files of a worker: what a test does stays in its own context. It ends with the worker. */
export function shareChromium(): Promise<Browser> {
  const forget = () => {
    shared = undefined;
  };
  shared ??= startChromium().then(
    (browser) => browser.on('disconnected', forget),
    (thrown: unknown) => {
      forget();
      throw thrown;
    },
  );
  return shared;
}

export function startChromium(): Promise<Browser> {
  // Chromium's own sandbox refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findChromium(), args: [...asRoot, ...flags] });
}
