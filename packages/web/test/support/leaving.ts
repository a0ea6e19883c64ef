// Leaving the page, and coming back to it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Would the browser ask whether to leave, because something is not kept? */
export function asksBeforeLeaving(page: Page): Promise<boolean> {
  return page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
}

/** Once all that was written is kept: before that the browser asks, and nobody is there to answer. */
export async function reload(page: Page): Promise<void> {
  await expect.poll(() => asksBeforeLeaving(page)).toBe(false);
  await page.reload();
}
