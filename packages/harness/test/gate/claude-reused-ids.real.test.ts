// A model that gives two calls one id: the second does not run, and the log says so of both.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { converse, newSession, openClaudeYard } from './claude-yard.ts';

/** Stands before the scripted model and gives every call of its answers the same id. */
async function withOneId(url: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = {
      'content-type': 'application/json',
      'x-api-key': 'x',
      'anthropic-version': '2023-06-01',
    };
    const { method = 'GET' } = request;
    const answer = await fetch(url + request.url, { method, headers, ...(body && { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end((await answer.text()).replace(/toolu_[A-Za-z0-9_]+/g, 'toolu_same'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // Listening on a port of this machine, so there is an address and it is no path.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'x' } });

test('the second call with an id is refused, with a result of its own in the log', {
  timeout: 60_000,
}, async () => {
  const yard = await openClaudeYard({
    front: withOneId,
    script: () => ({ rounds: [[bash('echo one')], [bash('echo two')]] }),
  });
  const { id } = await newSession(yard, 'bypassPermissions');
  const { events } = await converse(yard, id, 'rounds');
  const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data] : []));
  expect(results.map(({ isError, output }) => [isError, String(output).includes('one')])).toEqual([
    [false, true],
    [true, false],
  ]);
});
