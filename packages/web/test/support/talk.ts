// What a person does in a conversation, by what they see and hear of it.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { patienceMs } from './stage.ts';

const patience = { timeout: patienceMs };

export const composerOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Your message' });
export const transcriptOf = (page: Page): Locator => page.getByRole('region', { name: 'Conversation' });
/** The card of an approval that waits. */
export const approvalOf = (page: Page, tool: string, words: string): Locator =>
  page.getByLabel(`Approval: mcp__desk__${tool}`).filter({ hasText: words });
export const toolCardOf = (page: Page, words: string): Locator => page.getByLabel(`Tool call: ${words}`);

export async function say(page: Page, words: string): Promise<void> {
  await composerOf(page).fill(words);
  await page.getByRole('button', { name: /^(Send|Queue)$/ }).click();
}

/** Answers count only once a card has stood still for a moment. */
export async function answer(card: Locator, name: 'Allow once' | 'This session' | 'Deny'): Promise<void> {
  await card.getByRole('button', { name }).waitFor();
  await card.page().waitForTimeout(700);
  await card.getByRole('button', { name }).click();
}

export const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => element === document.activeElement);

/** As a person reads it: what is hidden is left out, and lines are lines. */
export function readText(locator: Locator): Promise<string> {
  return locator.innerText();
}

export async function readsSoon(page: Page, words: string | RegExp): Promise<void> {
  await expect.poll(() => readText(transcriptOf(page)), patience).toMatch(words);
}

/** How often each numbered word of the slow answer stands in the transcript, in their order. */
export async function readWords(page: Page): Promise<string[]> {
  return (await readText(transcriptOf(page))).match(/\bw\d+\b/g) ?? [];
}
