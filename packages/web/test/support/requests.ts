// What the page asks of its server, for tests that show that it does not.
import type { Page } from 'playwright-core';

/** The deletions that these pages ask for from now on. */
export function watchDeletes(...pages: Page[]): string[] {
  const urls: string[] = [];
  for (const page of pages)
    page.on('request', (request) => {
      if (request.method() === 'DELETE') urls.push(request.url());
    });
  return urls;
}

/** One more request of this page is answered: what it asked for before is known. */
export async function hasAnswer(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/icon.svg', { cache: 'no-store' }).then((answer) => answer.text()));
}
