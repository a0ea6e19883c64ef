// A login that ends under an open page, and another in its place.
import type { Page } from 'playwright-core';
import type { TestServer } from './server.ts';

/** Once the page is drawn it has followed its link. */
export async function begins(page: Page): Promise<void> {
  await page.locator('#root > *').first().waitFor({ state: 'attached' });
}

/** Ends the login of every browser, and waits until the page says so. */
export async function logOut(page: Page, { client }: TestServer): Promise<void> {
  for (const { id, browser } of (await client.tokens.list()).items)
    if (browser) await client.tokens.revoke(id);
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
}

/** In another tab, as a person would. */
export async function logInAgain(page: Page, server: TestServer): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(await server.loginLink());
  await begins(other);
  await other.close();
  await page
    .getByRole('button', { name: 'I have logged in' })
    .click({ timeout: 2_000 })
    // It may have found out by itself.
    .catch(() => {});
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor({ state: 'detached' });
}
