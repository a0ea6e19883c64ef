// A model that only ever does one thing: call a tool many times at once, step after step, then say that it is done.
// It looks at nothing it is sent, so that a long conversation costs it nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SoakModelOptions {
  tool: string;
  callsPerStep: number;
  /** Steps with calls in one turn. */
  stepsPerTurn: number;
}

export async function serveSoakModel({ tool, callsPerStep, stepsPerTurn }: SoakModelOptions) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const step = asked++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const isLast = step % (stepsPerTurn + 1) === stepsPerTurn;
      const blocks = isLast
        ? [toText('done')]
        : Array.from({ length: callsPerStep }, (_, nth) => toCall(tool, step, nth));
      response.end(toFrames(step, blocks, isLast ? 'end_turn' : 'tool_use'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port of this machine, so there is an address and it is no path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Block {
  start: object;
  delta: object;
}

function toText(text: string): Block {
  return { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text } };
}

function toCall(name: string, step: number, nth: number): Block {
  return {
    start: { type: 'tool_use', id: `toolu_soak_${step}_${nth}`, name, input: {} },
    delta: { type: 'input_json_delta', partial_json: '{}' },
  };
}

function toFrames(step: number, blocks: Block[], stopReason: string): string {
  // So few tokens that the CLI never thinks of making room.
  const usage = { input_tokens: 10, output_tokens: 10 };
  const message = {
    id: `msg_soak_${step}`,
    type: 'message',
    role: 'assistant',
    model: 'soak',
    content: [],
    usage,
    stop_reason: null,
    stop_sequence: null,
  };
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
