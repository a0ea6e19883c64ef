// Proves on this very computer what a command of an agent can do: it runs commands that try, in a workspace of its own,
// and looks at what came of it. What doctor says and docs/security.md promises rests on this.
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfinedShell, pause } from '@toolyard/sdk';
import type { Logger } from '../core/lib/ports.ts';
import { readText } from './pipes.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

/** What a command must not be able to do. */
export const attempts = [
  'write outside the workspace',
  'change what runs by itself',
  'read the home of Toolyard',
  'read keys in your home directory',
  'read the environment of the server',
  'reach this computer',
  'reach the network',
  'follow a link that was put in its way',
  'outlive its session',
] as const;
export type Attempt = (typeof attempts)[number];

const canary = 'toolyard-canary';
/** A daemon that has been killed writes nothing in this time. */
const beatMs = 50;

/** What succeeded, which is nothing where all is well. Rejects when commands cannot be run at all. */
export async function proveConfinement(env: NodeJS.ProcessEnv, logger: Logger): Promise<Attempt[]> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-proof-')));
  try {
    return await tryAll(root, env, logger);
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function tryAll(root: string, env: NodeJS.ProcessEnv, logger: Logger): Promise<Attempt[]> {
  const [home, user, work, outside] = ['home', 'user', 'work', 'outside'].map((name) => join(root, name));
  if (!home || !user || !work || !outside) return [...attempts];
  for (const folder of [home, join(user, '.ssh'), join(work, '.git', 'hooks'), outside])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of [join(home, 'token'), join(user, '.ssh', 'id'), join(outside, 'file')])
    await writeFile(file, canary);
  for (const [name, text] of [
    ['HEAD', 'ref: refs/heads/main\n'],
    ['config', ''],
  ] as const)
    await writeFile(join(work, '.git', name), text);
  const sandbox = await openSandbox({ home, env: { ...env, HOME: user, TOOLYARD_PROOF: canary }, logger });
  const shell = await sandbox.openShell();
  const listener = await listen();
  try {
    if (!shell) throw new Error('commands cannot be confined here');
    await shell.allow('proof', { roots: [work], hosts: [] });
    shell.begin();
    const { code, output } = await runIn(
      sandbox,
      shell,
      work,
      `
      (echo > ${outside}/new || echo > ${root}/new || echo > /usr/toolyard-new || echo > /etc/toolyard-new) 2>/dev/null
      (echo > .git/hooks/pre-commit || echo >> .git/config || echo > .mcp.json || mv .git away) 2>/dev/null
      cat ${home}/token 2>/dev/null && echo home; cat ${user}/.ssh/id 2>/dev/null && echo user
      (env; cat /proc/[0-9]*/environ) 2>/dev/null | tr '\\0' '\\n' | grep -q ${canary} && echo environment
      (echo > /dev/tcp/127.0.0.1/${listener.port}) 2>/dev/null && echo computer
      (echo > /dev/tcp/1.1.1.1/53) 2>/dev/null && echo network
      echo done`,
    );
    if (code !== 0 || !output.includes('done'))
      throw new Error(`a command did not run (${output.trim() || code})`);
    const said = new Set(output.split('\n'));
    const didWrite = await Promise.all(
      [join(outside, 'new'), join(root, 'new'), '/usr/toolyard-new', '/etc/toolyard-new'].map(isThere),
    );
    const didChange = await Promise.all(
      ['.git/hooks/pre-commit', 'away'].map((name) => isThere(join(work, name))),
    );
    const config = await readFile(join(work, '.git', 'config'), 'utf8');
    const outlived = await outlives(sandbox, shell, work);
    const linked = join(root, 'linked');
    await mkdir(linked);
    await symlink(outside, join(linked, '.claude'));
    await shell.allow('proof', { roots: [linked], hosts: [] });
    const { output: read } = await runIn(sandbox, shell, linked, 'cat .claude/file');
    const succeeded: Record<Attempt, boolean> = {
      'write outside the workspace': didWrite.includes(true),
      'change what runs by itself':
        didChange.includes(true) || config !== '' || isFile(join(work, '.mcp.json')),
      'read the home of Toolyard': said.has(`${canary}home`),
      'read keys in your home directory': said.has(`${canary}user`),
      'read the environment of the server': said.has('environment'),
      'reach this computer': said.has('computer') || listener.wasReached(),
      'reach the network': said.has('network'),
      'follow a link that was put in its way': read.includes(canary),
      'outlive its session': outlived,
    };
    return attempts.filter((attempt) => succeeded[attempt]);
  } finally {
    await listener.close();
    await shell?.close();
    await sandbox.close();
  }
}

async function start(sandbox: Sandbox, { bin, shown }: ConfinedShell, cwd: string, script: string) {
  const env = { TOOLYARD_PROOF: canary };
  const args = ['-c', script];
  const view = { shown };
  const owned = await sandbox.spawn({ command: join(bin, 'bash'), args, cwd, env, view, purpose: 'doctor' });
  await owned.stdin.end();
  return owned;
}

async function runIn(sandbox: Sandbox, shell: ConfinedShell, cwd: string, script: string) {
  const owned = await start(sandbox, shell, cwd, script);
  const [output, errors, { code }] = await Promise.all([
    readText(owned.stdout, 10_000),
    readText(owned.stderr, 10_000),
    owned.exited,
  ]);
  return { code, output: output + errors };
}

/** A daemon that leaves its session and ignores being asked writes the time until it is gone. */
async function outlives(sandbox: Sandbox, shell: ConfinedShell, cwd: string): Promise<boolean> {
  const beat = join(cwd, 'beat');
  const daemon = `trap "" TERM HUP; while :; do date +%s%N > ${beat}; sleep 0.01; done`;
  const owned = await start(sandbox, shell, cwd, `setsid sh -c '${daemon}' & sleep 60`);
  const deadline = performance.now() + 10_000;
  while (!(await isThere(beat)) && performance.now() < deadline) await pause(10);
  await owned.kill(0);
  const last = await readFile(beat, 'utf8');
  await pause(beatMs);
  return (await readFile(beat, 'utf8')) !== last;
}

async function listen() {
  let wasReached = false;
  const server = createServer((socket) => {
    wasReached = true;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    wasReached: () => wasReached,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
