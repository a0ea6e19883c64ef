// What a person does in a conversation, by what they see and hear of it.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { patienceMs } from './stage.ts';

const patience = { timeout: patienceMs };
/** To read all that is shown is work for the page, too. */
const textPatience = { ...patience, interval: 50 };

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

/** Answers count only once a card has stood still for a moment; until then its buttons are disabled. */
export async function answer(card: Locator, name: 'Allow once' | 'This session' | 'Deny'): Promise<void> {
  await takesAnswers(card, name);
  await card.getByRole('button', { name }).click();
}

/** For keys, which nothing holds back, and sooner than a press that waits would find it out. */
export async function takesAnswers(card: Locator, name = 'Deny'): Promise<void> {
  const button = card.getByRole('button', { name });
  await expect.poll(() => button.isEnabled(), patience).toBe(true);
}

/** Until the page was drawn so many times: what moves in the first drawings has moved. */
export async function draw(page: Page, times: number): Promise<void> {
  await page.evaluate(async (count) => {
    for (let drawn = 0; drawn < count; drawn++) await new Promise(requestAnimationFrame);
  }, times);
}

export const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => element === document.activeElement);

/** As a person reads it: what is hidden is left out, and lines are lines. */
export function readText(locator: Locator): Promise<string> {
  return locator.innerText();
}

export async function readsSoon(page: Page, words: string | RegExp): Promise<void> {
  await expect.poll(() => readText(transcriptOf(page)), textPatience).toMatch(words);
}

/** How often each numbered word of the slow answer stands in the transcript, in their order. */
export async function readWords(page: Page): Promise<string[]> {
  return (await readText(transcriptOf(page))).match(/\bw\d+\b/g) ?? [];
}
