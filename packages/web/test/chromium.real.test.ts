import { expect, test } from 'vitest';
import { findChromium } from './support/chromium.ts';

test('without a browser, one sentence says how to get one', () => {
  expect(findChromium({ CHROMIUM: process.execPath })).toBe(process.execPath);
  expect(() => findChromium({ CHROMIUM: '/no/such/program' })).toThrow(
    'CHROMIUM names /no/such/program, which cannot be run: name Chromium’s program, or leave the variable away.',
  );
  expect(() => findChromium({}, [])).toThrow(
    'These tests need Chromium: install it (`apt-get install chromium-headless-shell` on Debian), or name its program in CHROMIUM.',
  );
});
