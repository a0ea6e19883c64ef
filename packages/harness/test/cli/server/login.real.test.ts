// Getting a browser in: the link that `serve` prints, the one that `login` makes, and how a browser is opened.
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect } from 'vitest';
import { homeTest as it, setTwoAtOnce } from '../home-test.ts';
import type { TestHome } from '../toolyard-process.ts';

setTwoAtOnce();

/** What the page does with a link. */
async function follow(url: string) {
  const { origin, hash } = new URL(url);
  const { status } = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#login=', '') }),
  });
  return status;
}

const loggedIn = 201;

/** A program in place of the system's, which writes down what it was told to open. */
async function fakeOpener(yard: TestHome, exitCode: number) {
  const folder = join(yard.work, 'bin');
  const seen = join(yard.work, 'seen');
  await mkdir(folder);
  for (const name of ['xdg-open', 'open']) {
    const copy = `cp "$(printf %s "$1" | sed 's,^file://,,')" '${seen}.html'`;
    await writeFile(join(folder, name), `#!/bin/sh\nprintf %s "$1" > '${seen}'\n${copy}\nexit ${exitCode}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { seen, env: { PATH: `${folder}${delimiter}${yard.env.PATH}` } };
}

describe('the banner of serve', () => {
  it.concurrent('has a link that logs a browser in, once', async ({ yard }) => {
    const running = yard.start(['serve']);
    const [, url = ''] = await running.until(/page {3}(\S+)\n/);
    expect(await follow(url)).toBe(loggedIn);
    expect(await follow(url)).toBe(401);
  });
});

describe('login', () => {
  it.concurrent('prints a link alone on stdout, which logs a browser in', async ({ yard }) => {
    const { code, stdout } = await yard.run(['login']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#login=\S+\n$/);
    expect(await follow(stdout.trim())).toBe(loggedIn);
  });

  it.skipIf(process.platform === 'win32').concurrent(
    'opens a browser with a file that only the owner can read, never with the link as an argument',
    async ({ yard }) => {
      const { seen, env } = await fakeOpener(yard, 0);
      const { code, stdout } = await yard.run(['login', '--open'], { env });
      expect(code).toBe(0);
      expect(await readFile(seen, 'utf8')).toBe(`file://${join(yard.home, 'open-page.html')}`);
      expect(await readFile(`${seen}.html`, 'utf8')).toContain(`url=${stdout.trim()}"`);
      expect((await stat(join(yard.home, 'open-page.html'))).mode & 0o777).toBe(0o600);
    },
  );

  it.skipIf(process.platform === 'win32').concurrent(
    'says so when no browser can be opened',
    async ({ yard }) => {
      const { env } = await fakeOpener(yard, 3);
      expect(await yard.run(['login', '--open'], { env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Could not open a browser. Open the link yourself.'),
      });
      await expect(stat(join(yard.home, 'open-page.html'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

describe('serve --open', () => {
  it.skipIf(process.platform === 'win32').concurrent('opens the page logged in', async ({ yard }) => {
    const { seen, env } = await fakeOpener(yard, 0);
    yard.start(['serve', '--open'], { env });
    let page = '';
    for (let waited = 0; waited < 10_000 && !page; waited += 50) {
      page = await readFile(`${seen}.html`, 'utf8').catch(() => '');
      await pause(50);
    }
    const [, url = ''] = /url=([^"]+)"/.exec(page) ?? [];
    expect(await follow(url)).toBe(loggedIn);
  });
});
