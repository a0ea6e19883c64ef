import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Line, readLines } from '../../../src/cli/mcp/json-lines.ts';
import { parseMessage, toCancelled, toHeaders, toRevision } from '../../../src/cli/mcp/mcp-messages.ts';

const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

describe('messages on their way to /mcp', () => {
  it('that name their revision travel with what a server wants to see without opening them', () => {
    const call = (name: string) => ({ id: 1, method: 'tools/call', params: { name, _meta } });
    expect(toHeaders(call('ping'))).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ping',
    });
    expect(toHeaders(call('päng\n'))['mcp-name']).toBe('=?base64?cMOkbmcK?=');
    expect(toHeaders({ id: 1, method: 'tools/list', params: { _meta } })).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    });
    expect(toHeaders({ id: 1, method: 'tools/call', params: { name: 'ping' } })).toEqual({});
  });

  it('are told apart by what they are', () => {
    expect(toRevision({ method: 'x', params: { _meta } })).toBe('2026-07-28');
    expect(toRevision({ method: 'initialize', params: {} })).toBeUndefined();
    expect(toCancelled({ method: 'notifications/cancelled', params: { requestId: 7 } })).toBe(7);
    expect(toCancelled({ method: 'tools/call', params: { requestId: 7 } })).toBeUndefined();
    expect([7, 'x', null, [], { id: {} }].map(parseMessage)).toEqual(Array(5).fill(undefined));
  });
});

async function read(chunks: (string | Uint8Array)[]): Promise<Line[]> {
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  const lines: Line[] = [];
  for await (const line of readLines(Readable.from(bytes), new AbortController().signal)) lines.push(line);
  return lines;
}

describe('lines on stdin', () => {
  it('are read whole wherever they were cut, the last one without an end too', async () => {
    const text = Buffer.from('{"a":"ü"}\r\n\n{"b":1}\n[2]');
    const bytes = Array.from(text, (byte) => Uint8Array.of(byte));
    expect(await read(bytes)).toEqual([{ value: { a: 'ü' } }, { value: { b: 1 } }, { value: [2] }]);
  });

  it('M1: fail alone when they are no JSON or too long', async () => {
    const long = Array.from({ length: 5 }, () => 'x'.repeat(1024 * 1024));
    const lines = await read(['{"a":', '\n', ...long, '\n{"b":', '2}\n', '\ufeff{"c":3}\n']);
    expect(lines).toEqual([
      { problem: 'The message is not valid JSON.' },
      { problem: 'The message is longer than 4194304 bytes.' },
      { value: { b: 2 } },
      { value: { c: 3 } },
    ]);
  });
});
