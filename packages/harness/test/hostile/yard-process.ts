// A server in a process of its own, so that its memory can be measured apart from the test's. Its agent floods: the
// message "50" makes it say 50 MB. Run by `startYardProcess`, with the home and limits of readers as arguments.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type Engine, toText } from '@toolyard/sdk';
import { openYard, type YardOptions } from '../../src/app.ts';

const self = fileURLToPath(import.meta.url);
const megabyte = 1024 * 1024;

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

type Limits = YardOptions['readerLimits'];

export async function startYardProcess(home: string, limits: Limits = {}): Promise<YardProcess> {
  const child = fork(self, [home, JSON.stringify(limits)], {
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

const flooding: Engine = {
  id: 'flooding',
  nativeTools: [],
  start: async () => ({
    async prompt(input, host) {
      const size = input.kind === 'message' ? Number(toText(input.content)) * megabyte : 0;
      for (let said = 0; said < size && !host.signal.aborted; said += 16_384) {
        const text = `${said} `.padEnd(16_384, 'x');
        await host.emit({ type: 'text_delta', data: { text } });
      }
      return { outcome: 'completed' };
    },
    close: async () => {},
  }),
};

async function serve(home: string, readerLimits: Limits = {}): Promise<void> {
  const env = { TOOLYARD_LOG: 'silent' };
  const yard = await openYard({ home, env, workspace: home, engine: flooding, readerLimits });
  const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', (question) => {
    globalThis.gc?.();
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send?.(question === 'peak' ? peak : process.memoryUsage.rss());
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ port, token: yard.token });
}

const [, program, home, limits = '{}'] = process.argv;
if (program === self && home) await serve(home, JSON.parse(limits));
