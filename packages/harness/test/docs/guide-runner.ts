// Runs the shell blocks of a guide as a reader would: in order, in one shell and an empty directory, with an empty home.
// Commands that serve are started and left running until the guide is done; everything else must succeed.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../../../scripts/source/repository.ts';
import { openYard, type Yard } from '../../src/app.ts';
import { startCommand } from '../cli/in-process.ts';
import { compileCache, isAlive } from '../cli/toolyard-process.ts';

/** Words that do not come back: they serve. */
const serving = /^npm (?:start(?:\s*$|\s+#|\s+-- (?:serve|rehearse)\b)|run example\b)/;
const npm = `npm --prefix ${JSON.stringify(root)}`;
/** Words after it only with the two dashes: without them npm takes what follows for its own. */
const viaNpm = /npm --prefix "[^"]*" start(?: --silent)+(?: -- |(?=\s*(?:#|$)))/g;
/** The server itself, with nothing said about how. */
const plainServer = /^npm start\s*(?:#|$)/;
/** Commands that look for themselves, and start no server. */
const alone = new Set(['doctor', 'config', 'trust', 'restore']);
/** What is running already, since this is a test. */
const running = /^npm test\b/;

export interface Ran {
  command: string;
  code: number | null;
  output: string;
}

export interface Guide {
  /** Every shell block, each a list of commands with their continuation lines. */
  blocks: string[][];
  /** The first YAML block, if any: what the guide tells its reader to write into a file. */
  example: string | undefined;
}

export async function readGuide(file: string): Promise<Guide> {
  const text = await readFile(join(root, file), 'utf8');
  const fences = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const blocks = fences
    .filter(([, language]) => language === 'sh')
    .map(([, , code = '']) => toCommands(code));
  return { blocks, example: fences.find(([, language]) => language === 'yaml')?.[2] };
}

function toCommands(code: string): string[] {
  const lines = code.replace(/\\\n/g, '\\\u0000').split('\n');
  return lines
    .map((line) => line.replaceAll('\u0000', '\n').trim())
    .filter((line) => line && !line.startsWith('#'));
}

export interface GuideOptions {
  /**
   * How many blocks are run through npm as they stand; all of them when absent. A process for each command takes most
   * of the time, so the commands of other blocks run in this one, and so does the server that `npm start` alone or a
   * command without a server would start. What else serves is always a process of its own.
   */
  blocksWithNpm?: number;
}

export async function runGuide(
  guide: Guide,
  folder: string,
  { blocksWithNpm = guide.blocks.length }: GuideOptions = {},
): Promise<Ran[]> {
  const servers: ChildProcess[] = [];
  const ports = new Map([
    ['4242', await freePort()],
    ['4300', await freePort()],
  ]);
  const isPlain = (line: string, index: number) => index >= blocksWithNpm && plainServer.test(line);
  let yard: Promise<Yard> | undefined;
  const serveHere = () => (yard ??= openServer(folder, ports.get('4242')));
  const hasServer = guide.blocks.flat().some((line) => serving.test(line));
  const commands = await serveCommands(folder, async ([name = '']) => {
    if (!hasServer && !alone.has(name)) await serveHere();
  });
  const env = await prepare(folder, guide, ports, commands.url);
  const localise = (command: string) =>
    [...ports]
      .reduce((text, [port, free]) => text.replaceAll(port, free), command)
      .replaceAll(/\bnpm (start|run)\b/g, `${npm} $1 --silent`);
  const quicken = (command: string) =>
    command.replace(viaNpm, () => `${JSON.stringify(join(folder, 'start'))} `);
  const ran: Ran[] = [];
  try {
    for (const [index, block] of guide.blocks.entries()) {
      const adapt = (command: string) =>
        index < blocksWithNpm ? localise(command) : quicken(localise(command));
      const [serve, rest] = [
        block.filter((line) => serving.test(line)),
        block.filter((line) => !serving.test(line)),
      ];
      for (const command of serve) {
        if (isPlain(command, index)) await serveHere();
        else servers.push(await start(adapt(command), folder, env));
      }
      const commands = rest.filter((line) => !running.test(line));
      if (commands.length > 0) ran.push(await run(commands.map(adapt).join('\n'), folder, env));
    }
    return ran;
  } finally {
    for (const server of servers) await end(server);
    await (await yard)?.close();
    await endBackground(folder);
    commands.close();
  }
}

/** A command without a server starts one, which would stay for its five minutes. */
async function endBackground(folder: string): Promise<void> {
  const file = await readFile(join(folder, '.toolyard', 'server.json'), 'utf8').catch(() => undefined);
  const pid: number | undefined = file && JSON.parse(file).pid;
  if (!pid || !isAlive(pid)) return;
  process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await setTimeout(20);
}

/** As `npm start` does. */
async function openServer(folder: string, port = '0'): Promise<Yard> {
  const env = { PATH: process.env.PATH, HOME: folder };
  const yard = await openYard({
    home: join(folder, '.toolyard'),
    env,
    workspace: join(folder, 'work'),
    // No guide waits for a second program.
    overlay: { claude: { spare: false } },
  });
  await yard.listen({ host: '127.0.0.1', port: Number(port) });
  return yard;
}

async function prepare(
  folder: string,
  { example }: Guide,
  ports: Map<string, string>,
  commandsUrl: string,
): Promise<NodeJS.ProcessEnv> {
  await mkdir(join(folder, 'work'), { recursive: true });
  if (example !== undefined) await writeFile(join(folder, 'work', 'my-scenario.yaml'), example);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const bin = join(root, 'node_modules', '.bin');
  const start = `#!/bin/bash
export INIT_CWD="$PWD" PATH="${bin}:$PATH"
case "\${1-} $*" in ' '*|serve*|rehearse*|mcp*|*' -h'*|*' --help'*|*' --version'*) cd "${root}" && exec ${scripts.start} "$@" ;; esac
code=$({ printf '%s\\0' "$$" "$#" "$@"; env -0; } | curl -s --max-time 60 --data-binary @- "${commandsUrl}")
cat "${folder}/$$.out"; cat "${folder}/$$.err" >&2
exit "$code"
`;
  await writeFile(join(folder, 'start'), start, { mode: 0o755 });
  const { PATH } = process.env;
  return { PATH, HOME: folder, TOOLYARD_PORT: ports.get('4242'), NODE_COMPILE_CACHE: compileCache };
}

/**
 * Runs the commands that shells ask for, in this process: a name for what they print, how many words, the words, and
 * the environment. Answers with the exit code.
 */
async function serveCommands(
  folder: string,
  before: (argv: readonly string[]) => Promise<void>,
): Promise<{ url: string; close(): void }> {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const [name = '', count = '0', ...rest] = (await text(request)).split('\0');
    const argv = rest.slice(0, Number(count));
    const variables = rest
      .slice(argv.length)
      .map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]);
    await before(argv);
    const { code, stdout, stderr } = await startCommand(argv, Object.fromEntries(variables)).finished;
    await writeFile(join(folder, `${name}.out`), stdout);
    await writeFile(join(folder, `${name}.err`), stderr);
    return String(code);
  };
  const server = createHttpServer((request, response) => {
    answer(request).then(
      (code) => response.end(code),
      (thrown) => response.destroy(thrown),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

/** A variable that one block sets is there in the next ones. */
function withVariables(script: string, folder: string): string {
  const file = JSON.stringify(join(folder, 'variables'));
  const set = [...script.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name).join(' ');
  return `touch ${file}; . ${file}\n${script}\n${set && `declare -p ${set} >> ${file}`}`;
}

function run(script: string, folder: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', withVariables(script, folder)], {
      cwd: join(folder, 'work'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes));
    child.on('close', (code) => resolve({ command: script, code, output }));
  });
}

/** Starts a command that serves, and waits until it has said where. */
function start(script: string, folder: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec ${script}`], {
      cwd: join(folder, 'work'),
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const hear = (bytes: Buffer) => {
      output += bytes;
      if (/http:\/\/127\.0\.0\.1:\d+/.test(output)) resolve(child);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('close', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)));
  });
}

/** Ends the process group that `start` made: npm and what it runs. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid, 'SIGTERM');
  await gone;
}

function freePort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(String(typeof address === 'object' && address ? address.port : 0)));
    });
  });
}
