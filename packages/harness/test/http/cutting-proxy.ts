// A line between a client and a server that breaks whenever it is told to.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CuttingProxy {
  url: string;
  /** Breaks every line there is, in the middle of whatever they carry. */
  cut(): void;
  /** Where the server is now. */
  aim(port: number): void;
  /** How many lines there have been. */
  opened(): number;
}

export async function openCuttingProxy(port: number): Promise<CuttingProxy> {
  const lines = new Set<Socket>();
  let target = port;
  let opened = 0;
  const server = createServer((line) => {
    opened++;
    const onward = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [line, onward],
      [onward, line],
    ] as const) {
      lines.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        lines.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const line of lines) line.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  // It listens on a port of this machine, so there is an address and it is no path.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    aim: (next) => {
      target = next;
    },
    opened: () => opened,
  };
}
