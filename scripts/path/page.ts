// The page in a process of its own: what Vite and the browser's driver do there is in no stack of the server's.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Stack } from './call-stacks.ts';

export interface PageOptions {
  /** The server's address. */
  server: string;
  /** Logs the browser in. */
  link: string;
  sessionId: string;
  question: string;
  /** What the model will say. */
  answer: string;
}

/** The page's stacks: until the message was sent, and until its answer was drawn. */
export interface PageStacks {
  down: Stack[];
  up: Stack[];
}

export interface WatchedPage extends AsyncDisposable {
  /** Presses the button; resolves when the answer is there. */
  send(): Promise<PageStacks>;
}

/** A page that takes longer hangs, and is ended. */
const maxMs = 60_000;

/** Resolves when the message is typed and nothing else is under way. */
export async function openPage(options: PageOptions): Promise<WatchedPage> {
  const program = join(import.meta.dirname, 'page-program.ts');
  const child = fork(program, [JSON.stringify(options)], { timeout: maxMs });
  const failed = once(child, 'exit').then(() => {
    throw new Error('The page did not get to its end.');
  });
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return {
    async send() {
      child.send('send');
      const [stacks] = await Promise.race([once(child, 'message'), failed]);
      return stacks;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await failed.catch(() => {});
    },
  };
}
