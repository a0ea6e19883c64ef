// What stands beside /mcp: the least that the official SDK needs to serve one tool and keep two rows of each call, one
// before it and one after, on disk before it goes on. No judging, no log, no token.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [folder = '.'] = process.argv.slice(2);
const database = new DatabaseSync(join(folder, 'peer.db'));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE calls (id INTEGER PRIMARY KEY, tool TEXT, state TEXT, input TEXT, output TEXT, at TEXT)`);
const insert = database.prepare('INSERT INTO calls (tool, state, input, output, at) VALUES (?, ?, ?, ?, ?)');

/** On disk when it returns. */
function keep(state: string, output: object): void {
  insert.run('ping', state, '{}', JSON.stringify(output), new Date().toISOString());
}

function createPeer(): McpServer {
  const server = new McpServer({ name: 'peer', version: '1' });
  const outputSchema = z.object({
    status: z.literal('pong'),
    timestamp: z.iso.datetime(),
    server: z.string(),
  });
  server.registerTool('ping', { inputSchema: z.object({}), outputSchema }, () => {
    keep('started', {});
    const output = { status: 'pong' as const, timestamp: new Date().toISOString(), server: 'peer' };
    keep('done', output);
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  });
  return server;
}

const handler = createMcpHandler(createPeer);
const answer = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }); // a TCP server that listens has one
});
process.once('disconnect', () => process.exit());
