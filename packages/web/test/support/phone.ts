// Makes the window of a test a phone.
import type { Page } from 'playwright-core';

/** As narrow as a phone, and touched in place of pointed at: for the rest of its life. */
export async function becomePhone(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  const browser = await page.context().newCDPSession(page);
  await browser.send('Emulation.setTouchEmulationEnabled', { enabled: true });
}
