// A yard with the fixture tools on a socket of its own. The official runner cannot send a token, so this door puts it
// on; Host, Origin and everything else reach the yard as the runner sent them.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { openTestYard, temporaryDirectory } from '../../support/yard.ts';
import { conformanceToolkit } from './toolkit.ts';

export async function serveFixture(): Promise<string> {
  const home = await temporaryDirectory();
  // Nobody is there to answer, and the runner should not wait for nobody.
  await writeFile(join(home, 'config.yaml'), 'toolApproval: { approvalTimeout: 500 }');
  const yard = await openTestYard({ home, toolkits: [conformanceToolkit] });
  const answer = getRequestListener((request) => yard.fetch(request), { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    request.rawHeaders.push('authorization', `Bearer ${yard.token}`);
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // a TCP server that listens has one
}
