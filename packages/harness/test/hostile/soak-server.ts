// A server in a process of its own with the real native engine and the scripted model, which tells what it holds: memory,
// handles, open files, files left behind. Run by `startSoakServer`, with its home and folder for temporary files.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, pause } from '@toolyard/sdk';
import { openYard } from '../../src/app.ts';

const self = fileURLToPath(import.meta.url);

/** What a server holds, after a collection. */
export interface Held {
  rssBytes: number;
  heapBytes: number;
  /** Of buffers, outside of the heap. */
  externalBytes: number;
  /** Timers, sockets and whatever else keeps a process awake, by kind. */
  resources: Record<string, number>;
  /** Open file descriptors; 0 where the system does not tell. */
  descriptors: number;
  /** Names of files in its home and its folder for temporary files, those of the database and its logs left out. */
  files: string[];
}

export interface SoakServer {
  port: number;
  token: string;
  client: Client;
  held(): Promise<Held>;
  end(): Promise<void>;
}

export async function startSoakServer(home: string, temporary: string): Promise<SoakServer> {
  const child = fork(self, [home, temporary], {
    env: { PATH: process.env.PATH, HOME: temporary, TMPDIR: temporary, TOOLYARD_LOG: 'silent' },
    execArgv: ['--max-semi-space-size=16', '--conditions=toolyard-source', '--expose-gc'],
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server did not start')));
  const [{ port, token }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {});
  return {
    port,
    token,
    client: createClient({ baseUrl: `http://127.0.0.1:${port}`, token }),
    async held() {
      child.send('held');
      const [answer] = await once(child, 'message');
      return answer;
    },
    async end() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

async function weigh(home: string, temporary: string): Promise<Held> {
  // What is still on its way out leaves first. The last collection also gives back what V8 keeps for later.
  for (let round = 0; round < 3; round++) {
    await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
    await pause(100);
  }
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { rss: rssBytes, heapUsed: heapBytes, external: externalBytes } = process.memoryUsage();
  const memory = { rssBytes, heapBytes, externalBytes };
  return { ...memory, resources, descriptors: countDescriptors(), files: list(home, temporary) };
}

function countDescriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

function list(...folders: string[]): string[] {
  const names = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  return names.filter((name) => !/\.(db|sqlite)(-wal|-shm)?$|^logs?\b/.test(name)).sort();
}

async function serve(home: string, temporary: string): Promise<void> {
  const env = { TOOLYARD_LOG: 'silent', HOME: temporary, TMPDIR: temporary };
  const yard = await openYard({ home, env, workspace: temporary, rehearse: true });
  const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => void weigh(home, temporary).then((held) => process.send?.(held)));
  process.once('disconnect', () => process.exit());
  process.send?.({ port, token: yard.token });
}

const [, program, home, temporary] = process.argv;
if (program === self && home && temporary) await serve(home, temporary);
