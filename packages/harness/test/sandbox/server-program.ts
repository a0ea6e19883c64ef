// A server that starts families of processes and waits to be killed. Its order comes as JSON on stdin.
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { familyScript, reportOf, type ServerOrder } from './family.ts';

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk);
// The test writes this type and nothing else.
const order = JSON.parse(Buffer.concat(chunks).toString()) as ServerOrder;
const { home, workspace, kind, nap, count, bubblewrap } = order;
const report = bubblewrap ? { kind: 'namespace' as const, bubblewrap } : await reportOf(kind);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const sandbox = await openSandbox({ home, env: process.env, logger: silent, probe: async () => report });
process.stdout.write('starting\n');
const spec = { command: 'sh', args: ['-c', familyScript(nap)], cwd: workspace, env: {}, purpose: 'a family' };
await Promise.all(Array.from({ length: count }, () => sandbox.spawn(spec)));
process.stdout.write('started\n');
setInterval(() => {}, 1_000);
