// The program of `startYardProcess`, with the home and limits of readers as arguments.
import { type Engine, toText } from '@toolyard/sdk';
import { openYard } from '../../src/app.ts';
import { workBeside } from '../support/work.ts';
import type { Limits } from './yard-process.ts';

const megabyte = 1024 * 1024;

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
  const yard = await openYard({ home, env, workspace: workBeside(home), engine: flooding, readerLimits });
  const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', (question) => {
    globalThis.gc?.();
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send?.(question === 'peak' ? peak : process.memoryUsage.rss());
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ port, token: yard.token });
}

const [home = '', limits = '{}'] = process.argv.slice(2);
await serve(home, JSON.parse(limits));
