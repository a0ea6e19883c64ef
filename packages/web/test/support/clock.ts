// The page's time, which a test moves on in place of waiting.
import type { Page } from 'playwright-core';

/** Before the page is opened. Time goes on as usual until it is moved. */
export const withClock = (page: Page): Promise<void> => page.clock.install();

export const passTime = (page: Page, ms: number): Promise<void> => page.clock.fastForward(ms);

/** Past the longest pause between two tries to reach the server: it is tried now. */
export const tryAgain = (page: Page): Promise<void> => passTime(page, 15_000);

/** Time stands still from here, a second later than now. */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
}
