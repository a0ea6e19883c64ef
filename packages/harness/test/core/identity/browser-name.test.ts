import { expect, test } from 'vitest';
import { toBrowserName } from '../../../src/core/identity/browser-name.ts';

const like = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${like} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${like} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chromium on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${like} Chrome/140.0 Safari/537.36 Edg/140.0`,
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0',
    'Firefox on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 16; Pixel 9) ${like} Chrome/140.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.9.1', 'browser'],
  ['', 'browser'],
])('%s is called by a name that tells it from others', (agent, name) => {
  expect(toBrowserName(agent)).toBe(name);
});
