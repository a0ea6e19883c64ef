// A real server for a test file: a home of its own, killed and started again on the same port as often as wanted.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@toolyard/sdk';
import { bundled } from '../../../harness/test/support/bundled.ts';
import { workBeside } from '../../../harness/test/support/work.ts';
import { scenario as usual } from './scenario.ts';

const program = await bundled(fileURLToPath(new URL('./page-server.ts', import.meta.url)));

export interface TestServer {
  home: string;
  /** Where its sessions work. */
  work: string;
  readonly url: string;
  /** A person's, over HTTP. */
  client: Client;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
  /** Starts it again on another port. */
  move(port: number): Promise<void>;
  /** A link that logs one browser in. */
  loginLink(): Promise<string>;
  end(): Promise<void>;
}

export interface ServerWishes {
  /** What the scripted model says; `built-in` for what comes along (default: what the tests of the page need). */
  scenario?: unknown;
  /** In place of the usual ones, the engine that asks what it is told to. */
  engine?: 'asking';
  /** The scripted model stands behind a provider's own interface, at a real model's price. */
  priced?: boolean;
  /** Writes what the home holds before the server first starts. */
  fill?: (home: string) => Promise<void>;
}

export async function startServer({
  scenario = usual,
  engine,
  priced,
  fill,
}: ServerWishes = {}): Promise<TestServer> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-page-')));
  const work = workBeside(home);
  const scenarioPath = join(home, 'scenario.yaml');
  // JSON is YAML.
  await writeFile(scenarioPath, JSON.stringify(scenario));
  const chosen = scenario === 'built-in' ? '' : scenarioPath;
  await fill?.(home);
  let child: ChildProcess;
  let url = '';
  let token = '';

  async function start(port = url ? new URL(url).port : '0'): Promise<void> {
    child = fork(program, [home, port, chosen, engine ?? (priced ? 'priced' : '')], {
      execArgv: ['--conditions=toolyard-source'],
    });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server did not start')));
    const [said] = await Promise.race([once(child, 'message'), failed]);
    failed.catch(() => {});
    ({ url, token } = said);
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  await start();
  const client = createClient({
    token,
    get baseUrl() {
      return url;
    },
  });
  return {
    home,
    work,
    get url() {
      return url;
    },
    client,
    kill,
    start: () => start(),
    async move(port) {
      await kill();
      await start(String(port));
    },
    loginLink: async () => (await client.createLoginLink()).url,
    async end() {
      await kill();
      for (const folder of [home, work]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
