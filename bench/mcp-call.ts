// One tool call at /mcp over HTTP, judged, audited and logged, beside a bare official-SDK server that keeps two rows of
// each call durably. Each server is a process of its own; the clients are here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from './benchmark.ts';
import { type Arm, interleave, timed } from './interleave.ts';
import { startServer } from './processes.ts';
import { type Summary, toRate } from './samples.ts';

const callsPerRun = 256;
const config = 'toolApproval: { perTool: { mcp__toolyard__ping: auto } }\n';

interface Target {
  url: string;
  token: string;
}

export const mcpCall: Benchmark = {
  name: 'mcp-call',
  title: '/mcp: tool calls over HTTP',
  async run({ rounds, folder }) {
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'config.yaml'), config);
    await using ours = await startServer(home);
    await using peer = await startPeer(folder);
    const arm = (target: Target, clients: number): Arm => ({
      run: () => timed(() => callAtOnce(target, clients)),
    });
    const found = await interleave(
      { one: arm(ours, 1), peerOne: arm(peer, 1), many: arm(ours, 32), peerMany: arm(peer, 32) },
      { rounds, perRound: 1, warmUp: 3 },
    );
    return {
      rows: [
        { ...toRow('/mcp tool calls, 32 clients', found.many, found.peerMany), target: '≥ 1×' },
        toRow('/mcp tool calls, 1 client', found.one, found.peerOne),
      ].map((row) => (row.target ? { ...row, met: (row.ratio ?? 0) >= 1 } : row)),
      notes: [
        'A call at /mcp makes two durable commits before it is answered, like the peer’s, and groups those of many clients; one client alone pays for the log, the turn, the call and the audit in each.',
      ],
    };
  },
};

async function startPeer(folder: string): Promise<Target & AsyncDisposable> {
  const program = fileURLToPath(new URL('./mcp-peer.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ url }] = await once(child, 'message');
  return {
    url,
    token: 'none',
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Each client waits for its answer before its next call; together they make `callsPerRun`. */
async function callAtOnce(target: Target, clients: number): Promise<void> {
  const each = callsPerRun / clients;
  const work = async () => {
    for (let made = 0; made < each; made++) await call(target);
  };
  await Promise.all(Array.from({ length: clients }, work));
}

const agent = new Agent({ keepAlive: true });
const revision = '2026-07-28';
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'ping',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** A call that did not do the work is no measurement. */
async function call({ url, token }: Target): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
    'mcp-name': 'ping',
  };
  const sent = request(new URL('/mcp', url), { method: 'POST', agent, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const answer: unknown = await json(response);
  if (!JSON.stringify(answer).includes('pong'))
    throw new Error(`the call went wrong: ${JSON.stringify(answer)}`);
}

function toRow(work: string, ours: Summary, peer: Summary): Row {
  const [rate, peerRate] = [toPerSecond(ours), toPerSecond(peer)];
  return {
    work,
    ours: toRate(rate),
    peer: `bare official SDK, two durable rows ${toRate(peerRate)}`,
    ratio: rate / peerRate,
    numbers: { perSecond: rate, peerPerSecond: peerRate },
  };
}

function toPerSecond({ median }: Summary): number {
  return (callsPerRun / median) * 1_000;
}
