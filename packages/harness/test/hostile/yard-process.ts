// A server in a process of its own, so that its memory can be measured apart from the test's. Its agent floods: the
// message "50" makes it say 50 MB.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@toolyard/sdk';
import type { YardOptions } from '../../src/app.ts';
import { bundled } from '../support/bundled.ts';

const program = await bundled(fileURLToPath(new URL('./yard-program.ts', import.meta.url)));

export interface YardProcess {
  port: number;
  token: string;
  client: Client;
  /** Bytes of memory the process holds now, after a collection. */
  memory(): Promise<number>;
  /** The most it ever held. */
  peak(): Promise<number>;
  end(): Promise<void>;
}

export type Limits = YardOptions['readerLimits'];

export async function startYardProcess(home: string, limits: Limits = {}): Promise<YardProcess> {
  const child = fork(program, [home, JSON.stringify(limits)], {
    execArgv: ['--max-semi-space-size=16', '--conditions=toolyard-source', '--expose-gc'],
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server did not start')));
  const [{ port, token }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {});
  const ask = async (question: string): Promise<number> => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return {
    port,
    token,
    client: createClient({ baseUrl: `http://127.0.0.1:${port}`, token }),
    memory: () => ask('memory'),
    peak: () => ask('peak'),
    async end() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}
