// A lean Toolyard server for crash tests: the real yard with a scripted engine or the real CLI, a tool with a real effect
// and a switch that kills the process at a named point. Talks to its starter by one line on stdout; ends when stdin does.
import { type Engine, pause, toFailure } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { openYard, type YardOptions } from '../../src/app.ts';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { workBeside } from '../support/work.ts';
import { crashReply } from './crash-script.ts';
import { type Fault, withFault } from './faulty-store.ts';
import { ledgerToolkit } from './ledger-toolkit.ts';

export interface ServerOrder {
  home: string;
  ledger: string;
  /** Dies at this point, the so-many-th time it is reached; or the so-many-th time after another was. */
  killAt?: { point: CrashPoint; occurrence: number; after?: CrashPoint };
  fault?: Fault;
  /** A person is asked about each call of the ledger's tool. */
  asks?: boolean;
  /** The real engines in place of the scripted one: the model they reach, the person's home, where they work. */
  real?: { url: string; user: string; work: string };
}

/** What the first line on stdout says. */
export type ServerWord = { url: string; token: string } | { error: { code: string; message: string } };

function say(word: ServerWord): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function createReach(killAt: ServerOrder['killAt']): (point: CrashPoint) => void {
  let left = killAt?.occurrence ?? 0;
  let isCounting = killAt?.after === undefined;
  return (point) => {
    if (point === killAt?.after) isCounting = true;
    if (!isCounting || point !== killAt?.point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}

/** Takes a moment to start, as real engines do: a turn is then under way before its engine is. */
function createEngine(): Engine {
  const engine = createScriptedEngine({ reply: crashReply });
  return {
    ...engine,
    async start(spec) {
      await pause(3);
      return engine.start(spec);
    },
  };
}

function toWorld({ home, real }: ServerOrder): Pick<YardOptions, 'env' | 'workspace' | 'engine'> {
  if (!real) return { env: { TOOLYARD_LOG: 'warn' }, workspace: workBeside(home), engine: createEngine() };
  const model = { ANTHROPIC_BASE_URL: real.url, ANTHROPIC_API_KEY: 'any' };
  return {
    env: { PATH: process.env.PATH, HOME: real.user, TOOLYARD_LOG: 'warn', ...model },
    workspace: real.work,
  };
}

async function main(order: ServerOrder): Promise<void> {
  const { home, ledger, killAt, fault, asks = false } = order;
  const yard = await openYard({
    home,
    ...toWorld(order),
    toolkits: [ledgerToolkit(ledger, { asks })],
    onCrashPoint: createReach(killAt),
    ...(fault && { wrapStore: (store) => withFault(store, fault) }),
    onFatal: (error) => process.stderr.write(`fatal ${error.code}\n`),
  });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  const stop = () => void yard.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  say({ url, token: yard.token });
}

process.stdin.resume().once('end', () => process.exit(1));
try {
  // The starter's own words, in its own type.
  await main(JSON.parse(process.argv[2] ?? '{}') as ServerOrder);
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : thrown}\n`);
  say({ error: toFailure(thrown) });
  process.exitCode = 1;
  process.stdin.destroy();
}
