// The page: its files as they were built, with a policy that lets nothing in from elsewhere and nothing run that is not
// one of them. Files are public; what they show is not.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import type { Context } from 'hono';
import type { HttpRouter } from './server/mount.ts';

/** Addresses that the page itself makes sense of. */
const screens = /^\/(?:(?:sessions|inbox|tools|audit|usage|settings|agents|tasks)(?:\/[\w.~-]*)*)?$/;
const folder = '/assets/';
/** Files whose names stay as they are. */
const single: ReadonlySet<string> = new Set(['/icon.svg', '/theme.js']);
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const nonceMark = '<meta name="style-nonce" content="" />';

interface PageFile {
  body: Buffer<ArrayBuffer>;
  type: string;
  tag: string;
}

/** Is this a part of the page? Then anybody may have it: a link to it may stand anywhere. */
export function isPage(path: string): boolean {
  return screens.test(path) || path.startsWith(folder) || single.has(path);
}

/** Addresses of programs and of files: whoever asks for one of these is answered as a program is. */
const forPrograms = /^\/(?:api|mcp|assets|\.well-known)(?:\/|$)|\.\w+$/;

/** Has a person gone where nothing is? */
export function isUnknownPage(path: string, accept: string | undefined): boolean {
  return !isPage(path) && !forPrograms.test(path) && (accept ?? '').includes('text/html');
}

export interface Page {
  mount(app: HttpRouter): void;
  /** The page for an address that nothing has: it says so itself. */
  openNotFound(): Promise<Response>;
}

export function createPage(root: string): Page {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const load = async () => {
    files ??= readFiles(root);
    const found = await files;
    // Not built yet, perhaps: look again when somebody asks again.
    if (!found.has('/index.html')) files = undefined;
    return found;
  };

  async function open(status: 200 | 404): Promise<Response> {
    const page = (await load()).get('/index.html');
    return page ? openPage(page, status) : notBuilt();
  }

  return {
    openNotFound: () => open(404),
    mount(app) {
      app.get('*', async (c, next) => {
        if (!isPage(c.req.path)) return next();
        const file = (await load()).get(c.req.path);
        if (file) return answer(c, file);
        return screens.test(c.req.path) ? open(200) : next();
      });
    },
  };
}

async function readFiles(root: string): Promise<Map<string, PageFile>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }): Promise<[string, PageFile]> => {
    const body = await readFile(join(parentPath, name));
    const path = posix.join('/', parentPath.slice(root.length).replaceAll('\\', '/'), name);
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return [path, { body, tag, type: types[extname(name)] ?? 'application/octet-stream' }];
  });
  return new Map(await Promise.all(read));
}

/** Names in `assets` change with what is in them. */
function answer({ req }: Context, { body, type, tag }: PageFile): Response {
  const cache = req.path.startsWith(folder) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = {
    'content-type': type,
    'cache-control': cache,
    'cross-origin-resource-policy': 'same-origin',
    etag: tag,
  };
  return req.header('if-none-match') === tag
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}

function openPage({ body, type }: PageFile, status: number): Response {
  const nonce = randomBytes(16).toString('base64url');
  const html = body.toString('utf8').replace(nonceMark, nonceMark.replace('""', `"${nonce}"`));
  return new Response(html, {
    status,
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy': toPolicy(nonce),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    },
  });
}

function toPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function notBuilt(): Response {
  const text =
    'The page is not built. From a clone, `npm start` builds it; `npm run build:web` does so alone.\n';
  return new Response(text, { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
