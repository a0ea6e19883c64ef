// A running Toolyard with the real Claude CLI in it: a real socket, a scripted model, and homes of its own.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { openYard, type Yard, type YardOptions } from '../../src/app.ts';
import type { Logger } from '../../src/core/lib/ports.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { type ModelTap, openModelTap } from './model-tap.ts';
import { createPerson } from './person.ts';

export interface ClaudeServerOptions extends Pick<YardOptions, 'toolkits'> {
  /** A file beside the tests. */
  scenario: string;
  /** Of `$TOOLYARD_HOME/config.yaml`. A spare process only takes time from tests that do not need it. */
  config?: string;
  /** `undefined` takes a variable away. */
  env?: Record<string, string | undefined>;
  /** Of `$TOOLYARD_HOME/roles`, by name. */
  roles?: Record<string, string>;
  /** Puts what is needed into the person's home and directory before anything starts. */
  furnish?: (folders: Folders) => Promise<void>;
}

export interface Folders {
  /** Toolyard's. */
  home: string;
  /** The person's: what the CLI takes for HOME. */
  userHome: string;
  /** Where sessions work. */
  work: string;
}

export type ClaudeServer = Awaited<ReturnType<typeof openClaudeServer>>;

export async function openClaudeServer(options: ClaudeServerOptions) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-acceptance-')));
  const folders = await makeFolders(root, options);
  const scenarioPath = fileURLToPath(new URL(options.scenario, import.meta.url));
  const rehearsal = await serveRehearsal({ scenarioPath });
  const tap = await openModelTap(rehearsal.url);
  const logged: string[] = [];
  const open = () => openServer(options, folders, tap, toLogger(logged));
  let { yard, url } = await open();
  const door = () => ({ url, token: yard.token });
  return {
    ...folders,
    ...createPerson(door),
    door,
    tap,
    /** Warnings and errors of the server. */
    logged,
    writeRole: (name: string, text: string) => writeRoles(folders.home, { [name]: text }),
    /** Stops the server as SIGTERM would, and starts another one on the same home. */
    async restart(meanwhile?: () => Promise<unknown>): Promise<void> {
      await yard.close();
      await meanwhile?.();
      ({ yard, url } = await open());
    },
    async close(): Promise<void> {
      await yard.close();
      await tap.close();
      await rehearsal.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function makeFolders(root: string, options: ClaudeServerOptions): Promise<Folders> {
  const { config = 'claude: { spare: false }\n', roles = {}, furnish } = options;
  const folders = { home: join(root, 'home'), userHome: join(root, 'user'), work: join(root, 'work') };
  await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { mode: 0o700 })));
  await writeFile(join(folders.home, 'config.yaml'), config);
  await writeRoles(folders.home, roles);
  await furnish?.(folders);
  return folders;
}

async function openServer(
  { env = {}, toolkits = [] }: ClaudeServerOptions,
  { home, userHome, work }: Folders,
  tap: ModelTap,
  logger: Logger,
): Promise<{ yard: Yard; url: string }> {
  const access = { ANTHROPIC_BASE_URL: tap.url, ANTHROPIC_API_KEY: 'key-of-the-tests' };
  const yard = await openYard({
    home,
    workspace: work,
    toolkits,
    logger,
    env: { PATH: process.env.PATH, HOME: userHome, ...access, ...env },
  });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  return { yard, url };
}

async function writeRoles(home: string, roles: Record<string, string>): Promise<void> {
  await mkdir(join(home, 'roles'), { recursive: true });
  for (const [name, text] of Object.entries(roles)) await writeFile(join(home, 'roles', `${name}.md`), text);
}

function toLogger(logged: string[]): Logger {
  const keep = (message: string, data?: unknown) => {
    logged.push(`${message} ${inspect(data, { depth: 5 })}`);
  };
  return { debug() {}, info() {}, warn: keep, error: keep };
}
