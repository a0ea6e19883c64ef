// Looks for what keeps people from using a page, with axe.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

export interface Finding {
  screen: string;
  rule: string;
  nodes: string[];
}

export async function findViolations(page: Page, screen: string): Promise<Finding[]> {
  const violations = await page.evaluate(async () => {
    // Put there by the script that runs before the page.
    const axe = Reflect.get(window, 'axe') as typeof import('axe-core');
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.slice(0, 4).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`),
    }));
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ screen, rule: id, nodes }));
}

/** In the light and in the dark: the page follows what the browser says, without being loaded again. */
export async function findInLightAndDark(page: Page, screen: string): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findViolations(page, `${screen}, ${colorScheme}`)));
  }
  return found;
}

const axeSource = () => readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const withAxe = async (page: Page) => page.addInitScript(await axeSource());
