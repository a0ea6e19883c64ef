import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findPortOwner } from '../../../src/http/server/port-owner.ts';
import { openTestYard } from '../../support/yard.ts';

async function occupy(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const isLinux = process.platform === 'linux';

it.runIf(isLinux).each(['127.0.0.1', '0.0.0.0', '::'])('finds who listens on a port of %s', async (host) => {
  expect(findPortOwner(await occupy(host))).toMatchObject({ pid: process.pid, command: expect.any(String) });
});

it('knows nobody on a port that is free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  expect(findPortOwner(typeof address === 'object' && address ? address.port : 0)).toBeUndefined();
});

it('a port in use is refused with who has it and what to do', async () => {
  const yard = await openTestYard();
  const port = await occupy('127.0.0.1');
  await expect(yard.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringMatching(isLinux ? new RegExp(`${port}.*pid ${process.pid}.*--port`) : /--port/),
    data: { port, ...(isLinux && { pid: process.pid }) },
  });
});

it.each(['192.0.2.1', 'no-such-host.invalid'])(
  'a host that is not ours, %s, is refused in words',
  async (host) => {
    const yard = await openTestYard({ env: { TOOLYARD_TOKEN: 'a-token-of-my-own-making' } });
    await expect(yard.listen({ host, port: 0 })).rejects.toMatchObject({ code: 'invalid_request' });
  },
);
