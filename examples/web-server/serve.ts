// A web server with a yard inside: a page where one talks to an agent and answers what it asks. Stop it with Ctrl-C.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createToolyard } from 'toolyard';
import { shopToolkit } from '../own-tools/toolkit.ts';
import { createAnswer } from './answer.ts';

const shop = shopToolkit({
  prices: new Map([['tea', 4]]),
  place: async ({ item, count }) => console.log(`ordered: ${count} × ${item}`),
});

// Without a port of its own: the page below is its only door.
const yard = await createToolyard({
  toolkits: [shop],
  rehearse: true,
  scenario: join(import.meta.dirname, '..', 'own-tools', 'scenario.yaml'),
});

const server = createServer(createAnswer(yard));
server.listen(Number(process.argv[2] ?? 4300), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  console.log(`The shop is open at http://127.0.0.1:${port}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    void yard.close().then(() => server.closeAllConnections());
  });
}
