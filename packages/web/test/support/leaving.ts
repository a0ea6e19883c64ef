// Leaving the page, coming back to it, and going about in it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Would the browser ask whether to leave, because something is not kept? */
export function asksBeforeLeaving(page: Page): Promise<boolean> {
  return page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
}

/** To another address of the page, as its own links lead there: without loading it again. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path);
}

/** Once all that was written is kept: before that the browser asks, and nobody is there to answer. */
export async function reload(page: Page): Promise<void> {
  await expect.poll(() => asksBeforeLeaving(page)).toBe(false);
  await page.reload();
}
