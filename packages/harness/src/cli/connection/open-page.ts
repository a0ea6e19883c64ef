// Opens a page in the person's browser. The address contains a login, and every user of the machine can read process
// arguments. So the address goes into a file that only its owner can read, and the browser opens that file.
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const startTimeoutMs = 5_000;
/** A starting browser needs time to read the file. If the command exits before, the file stays; its link works once. */
const readTimeoutMs = 30_000;

/** Resolves with whether a browser could be started. */
export async function openPage(home: string, url: string): Promise<boolean> {
  const file = join(home, 'open-page.html');
  await rm(file, { force: true });
  await writeFile(file, toPage(url), { mode: 0o600 });
  const remove = () => rm(file, { force: true }).catch(() => {});
  const opened = await start(pathToFileURL(file).href);
  if (opened) setTimeout(() => void remove(), readTimeoutMs).unref();
  else await remove();
  return opened;
}

function toPage(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Toolyard</title><meta http-equiv="refresh" content="0; url=${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">\n`;
}

function toCommand(): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** An opener starts the browser and exits; one that keeps running is the browser itself. */
function start(address: string): Promise<boolean> {
  const [command, ...words] = toCommand();
  return new Promise((resolve) => {
    const child = spawn(command, [...words, address], { detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => resolve(true), startTimeoutMs);
    const settle = (opened: boolean) => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}
