import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { deliver } from '../../../src/rehearsal/reply/deliver.ts';
import type { Action } from '../../../src/rehearsal/reply/delivery.ts';

test('when the client goes away, no further step is taken and no timer is left', async () => {
  let taken = 0;
  function* endless(): Generator<Action> {
    for (;;) {
      taken++;
      yield { send: 'slow ' };
      yield { waitMs: 5 };
    }
  }
  const delivered = Promise.withResolvers<string>();
  const server = createServer((_, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    deliver(response, endless(), { signal: gone.signal, splitBytes: false }).then(() =>
      delivered.resolve('settled'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;

  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}`, { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  expect(await delivered.promise).toBe('settled');
  const takenAtEnd = taken;
  await pause(30);
  expect([takenAtEnd > 0, taken]).toEqual([true, takenAtEnd]);
  server.close();
});

test('a reader that takes nothing holds the answer back instead of filling memory', async () => {
  let taken = 0;
  function* flood(): Generator<Action> {
    for (; taken < 20_000; taken++) yield { send: 'x'.repeat(32_769) };
  }
  const server = createServer((_, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void deliver(response, flood(), { signal: gone.signal, splitBytes: false });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const controller = new AbortController();
  await fetch(`http://127.0.0.1:${port}`, { signal: controller.signal });
  await pause(200);
  expect(taken).toBeLessThan(2_000);
  controller.abort();
  server.closeAllConnections();
  server.close();
});
