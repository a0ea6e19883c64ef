// Looks for what keeps people from using a page, with axe.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

export interface Finding {
  screen: string;
  rule: string;
  nodes: string[];
}

/** All that axe knows, or these rules of it. */
export async function findViolations(page: Page, screen: string, rules?: string[]): Promise<Finding[]> {
  const violations = await page.evaluate(async (runOnly) => {
    // Put there by `addAxe`.
    const axe = Reflect.get(window, 'axe') as typeof import('axe-core');
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(runOnly && { runOnly }),
    });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.slice(0, 4).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`),
    }));
  }, rules);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ screen, rule: id, nodes }));
}

/** The rules that look at colours. All others see the same in the light and in the dark. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** In the light and in the dark: the page follows what the browser says, without being loaded again. */
export async function findInLightAndDark(page: Page, screen: string): Promise<Finding[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inTheLight = await findViolations(page, `${screen}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inTheDark = await findViolations(page, `${screen}, dark`, colourRules);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...inTheLight, ...inTheDark];
}

const axeSource = () => readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Until the page is loaded again. */
export async function addAxe(page: Page): Promise<void> {
  await page.evaluate(await axeSource());
}
