// What a command of an agent reads, writes and reaches, with real bubblewrap: as root and as an ordinary user.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pause } from '@toolyard/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proveConfinement } from '../../src/sandbox/prove-confinement.ts';
import { bundled } from '../support/bundled.ts';
import type { ConfinedOrder, ConfinedResult } from './confined-program.ts';

const program = fileURLToPath(new URL('confined-program.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

/** In a user namespace of its own, root is an ordinary user who owns what is root's. */
const users = {
  'who runs the tests': [],
  ...(isRoot && {
    'an ordinary user': [
      ...['bwrap', '--dev-bind', '/', '/', '--unshare-user', '--uid', '1000', '--gid', '1000'],
      ...['--unshare-pid', '--proc', '/proc', '--die-with-parent', '--'],
    ],
  }),
};
const userNames = Object.keys(users) as (keyof typeof users)[];

function makeMachine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-confined-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const at = (path: string) => join(root, path);
  const write = (path: string, text = 'canary') => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), text);
  };
  for (const path of ['home/token', 'user/.ssh/id', 'user/.claude/x', 'user/.aws/credentials', 'other/file'])
    write(path);
  write('work/file', 'mine');
  const git = (...args: string[]) => execFileSync('git', ['-C', at('work'), ...args], { encoding: 'utf8' });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-q', '--allow-empty', '-m', 'first');
  const order = { home: at('home'), userHome: at('user'), roots: [at('work')], cwd: at('work') };
  return { root, at, write, git, order };
}

function run(user: keyof typeof users, order: ConfinedOrder): Promise<ConfinedResult[]> {
  return runBehind(users[user] ?? [], order);
}

async function runBehind(prefix: readonly string[], order: ConfinedOrder): Promise<ConfinedResult[]> {
  const [file = '', ...args] = [...prefix, process.execPath, await bundled(program)];
  const { stdout } = await promisify(execFile)(file, [...args, JSON.stringify(order)]);
  return JSON.parse(stdout);
}

describe.each(userNames)('as %s', (user) => {
  test('a command writes in the workspace and its own /tmp, and finds nothing else of the computer', async () => {
    const { at, order } = makeMachine();
    const kernel = '/proc/sys/kernel/core_pattern';
    const before = readFileSync(kernel, 'utf8');
    const secrets = ['home/token', 'user/.ssh/id', 'user/.claude/x', 'user/.aws/credentials', 'other/file'];
    const [written, read, system, later] = await run(user, {
      ...order,
      scripts: [
        'echo new > made; mkdir -p deep/er; echo x > $TMPDIR/kept; echo y > ~/.cache; pwd; exit 3',
        `cat ${secrets.map(at).join(' ')} /etc/shadow /proc/1/environ; ls -A ${at('home')} ${at('other')} ~
         cat /proc/[0-9]*/environ | tr '\\0' '\\n'; env`,
        `echo "$(cat ${kernel})x" > ${kernel}; touch /usr/x /x /etc/x ${at('other/x')} ${at('x')}
         mount -t tmpfs none /mnt; umount ${at('work/.git/hooks')}; unshare -Ur true; chroot / true
         mknod disk b 8 0; (touch /x || touch /run/x || touch /etc/x) 2>/dev/null && echo touched; (ulimit -c); readlink /proc/self/exe`,
        'cat $TMPDIR/kept ~/.cache made',
      ],
    });
    expect(written).toEqual({ code: 3, stdout: `${at('work')}\n`, stderr: '' });
    expect(read?.stdout).not.toContain('canary');
    expect(read?.stdout).toContain('HOME=');
    expect(system?.stdout.split('\n')[0]).toBe('0');
    expect(existsSync('/usr/x') || existsSync('/x') || existsSync('/etc/x') || existsSync(at('x'))).toBe(
      false,
    );
    expect(readdirSync(at('other'))).toEqual(['file']);
    expect(readFileSync(kernel, 'utf8')).toBe(before);
    expect(later).toEqual({ code: 0, stdout: 'x\ny\nnew\n', stderr: '' });
    expect(readdirSync(at('user')).sort()).toEqual(['.aws', '.claude', '.ssh']);
    expect(readFileSync(at('work/made'), 'utf8')).toBe('new\n');
  });

  test('what runs by itself stays as it is, there or not, and the workspace is left without a trace', async () => {
    const { at, git, write, order } = makeMachine();
    write('work/.claude/settings.json', '{}');
    git('worktree', 'add', '-q', at('tree'));
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', at('work'), 'part');
    const look = () => ({ names: readdirSync(at('work')), ...listAll(at('work'), protectedPaths) });
    const before = look();
    const paths = [
      ...['.git/hooks/pre-commit', '.git/config', '.git/commondir', '.git/modules/part/config', '.mcp.json'],
      ...['.git/worktrees/tree/commondir', '.claude/settings.json', '.claude/new', '.toolyard/roles/x.md'],
      ...['toolyard.yaml', '.git/modules/part/hooks/post-checkout'],
    ];
    const tries = paths.flatMap((path) => [
      `echo evil > ${path}`,
      `rm -rf ${path}`,
      `mkdir -p ${path} && touch ${path}/x`,
      `ln -sfn /tmp ${path}`,
      `mv ${path} /tmp/moved`,
      `cp file copy && mv -f copy ${path}`,
    ]);
    const moves = [
      ...['.git', '.claude', '.git/hooks', '.git/modules', '.git/modules/part', '.git/worktrees/tree'].map(
        // Not mv, which would copy what it cannot move.
        (path) =>
          `perl -e 'rename("${path}", "away") or exit 1' && mkdir -p ${path} && echo evil > ${path}/config`,
      ),
      'git init -q',
      'git config core.fsmonitor ./evil',
    ];
    const script = [...tries, ...moves, 'rm -f copy'].join('; ');
    // A root around it protects it no less.
    const [tried] = await run(user, {
      ...order,
      roots: [at('work'), at('work/..')],
      scripts: [`(${script}) 2>&1; git status --short`],
    });
    expect(look()).toEqual(before);
    expect(tried?.stdout).toContain('Read-only file system');
    expect(git('rev-parse', '--git-common-dir').trim()).toBe('.git');
  });

  test('it commits in a worktree as its person, and what the repository runs stays as it is', async () => {
    const { at, git, write, order } = makeMachine();
    git('worktree', 'add', '-q', '-b', 'side', at('tree'));
    const config = '[core]\n\tpager = evil\n[user]\n\tname = Ada\n\temail = ada@example.org\n[x]\n\ty = z\n';
    write('user/.gitconfig', config);
    const commit = 'git commit -q --allow-empty -m second && git log --format="%an %s"; cat ~/.gitconfig';
    const [done, tried] = await run(user, {
      ...order,
      roots: [at('tree')],
      cwd: at('tree'),
      scripts: [
        commit,
        `echo x > ${at('work/.git/hooks/pre-commit')}; echo x >> ${at('work/.git/config')}; cat ${at('work/file')}`,
      ],
    });
    const seen = '[user]\n\tname = Ada\n\temail = ada@example.org\n[safe]\ndirectory = *\n';
    expect(done).toEqual({ code: 0, stdout: `Ada second\na first\n${seen}`, stderr: '' });
    expect(tried?.stderr.match(/Read-only|No such file/g)).toHaveLength(3);
    expect(existsSync(at('work/.git/hooks/pre-commit'))).toBe(false);
    expect(git('status', '--short')).toBe('?? file\n');
  });

  test('a link in the place of what is protected, or of the workspace, is not followed', async () => {
    const { at, write, order } = makeMachine();
    symlinkSync(at('user/.ssh'), at('work/.claude'));
    const [linked] = await run(user, { ...order, scripts: ['cat .claude/id'] });
    expect(linked).toMatchObject({ code: 126, stdout: '' });
    expect(linked?.stderr).toContain(`${at('work/.claude')} is a link, which cannot be protected.`);
    rmSync(at('work/.claude'));
    // A hostile archive brings a `.git` that names a repository of the person's.
    write('other/.git/worktrees/x/gitdir', at('elsewhere/.git'));
    write('other/.git/worktrees/x/commondir', '../..');
    rmSync(at('work/.git'), { recursive: true });
    write('work/.git', `gitdir: ${at('other/.git/worktrees/x')}\n`);
    const [foreign] = await run(user, { ...order, scripts: [`ls -A ${at('other')}; echo > .git`] });
    expect(foreign?.stdout).toBe('');
    expect(readFileSync(at('work/.git'), 'utf8')).toContain('gitdir');
  });

  test('keys stay hidden when the workspace is the home directory, and hard links reach no further', async () => {
    const { at, order } = makeMachine();
    mkdirSync(at('user/.toolyard'));
    linkSync(at('user/.ssh/id'), at('user/.ssh/same'));
    const [read] = await run(user, {
      ...order,
      home: at('user/.toolyard'),
      roots: [at('user')],
      cwd: at('user'),
      scripts: ['cat .ssh/id .ssh/same .claude/x .aws/credentials .toolyard/*; touch kept; ls -A'],
    });
    expect(read?.stdout).not.toContain('canary');
    expect(statSync(at('user/kept')).isFile()).toBe(true);
  });

  test('it reaches the hosts on its list through the server, and no other', async () => {
    const { order } = makeMachine();
    const listen = async () => {
      const server = createServer((_, response) => response.end('heard')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      return (server.address() as AddressInfo).port;
    };
    const [open, closed] = [await listen(), await listen()];
    // What programs do that know of a proxy, in plain bash: a fresh machine has no curl.
    const byProxy = (host: string) => `exec 3<>/dev/tcp/127.0.0.1/3128 || exit
      printf 'CONNECT ${host} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n' >&3; tr -d '\r' <&3 | sed -n '1p;$p'; exec 3>&-`;
    const directly = (port: number) => `(echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached`;
    const refused = (host: string) =>
      `HTTP/1.1 403 Forbidden\n${host} is not a host that commands may reach. Add it to workspace.network in the configuration of Toolyard.\n`;
    const [listed, unlisted, named, elsewhere, direct, plain] = await run(user, {
      ...order,
      hosts: [`127.0.0.1:${open}`, `localhost:${open}`],
      scripts: [
        ...[`127.0.0.1:${open}`, `127.0.0.1:${closed}`, `localhost:${open}`, 'example.com:443'].map(byProxy),
        `${directly(open)}; env | grep -i proxy= | sort -u`,
        `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://127.0.0.1:${open}/ HTTP/1.0\r\n\r\n' >&3; tail -1 <&3`,
      ],
    });
    expect(listed?.stdout).toBe('HTTP/1.1 200 Connection Established\nheard');
    expect(unlisted?.stdout).toBe(refused('127.0.0.1'));
    // Found by its name alone, this computer is not public.
    expect(named?.stdout).toBe(refused('localhost'));
    expect(elsewhere?.stdout).toBe(refused('example.com'));
    expect(direct?.stdout).not.toContain('reached');
    expect(direct?.stdout).toContain('HTTPS_PROXY=http://127.0.0.1:3128');
    expect(plain?.stdout).toBe('Toolyard lets commands reach hosts by https only.\n');
    const [without] = await run(user, {
      ...order,
      scripts: [`${directly(open)}; ls /run | grep -v session; env | grep -i proxy`],
    });
    expect(without?.stdout).toBe('');
  });
});

test('F4: a link that is swapped in while a command starts shows it nothing', async () => {
  const { at, order } = makeMachine();
  mkdirSync(at('work/.claude'));
  symlinkSync('../user/.ssh', at('link'));
  // Two names change places all the time, as fast as the disk allows.
  const swap = `while :; do mv -T ${at('work/.claude')} ${at('kept')}; mv -T ${at('link')} ${at('work/.claude')}
    mv -T ${at('work/.claude')} ${at('link')}; mv -T ${at('kept')} ${at('work/.claude')}; done`;
  const swapping = spawn('sh', ['-c', swap]);
  onTestFinished(() => void swapping.kill('SIGKILL'));
  const results = await run('who runs the tests', { ...order, scripts: Array(30).fill('cat .claude/id') });
  swapping.kill('SIGKILL');
  expect(results.map(({ stdout }) => stdout).join('')).toBe('');
  expect(results.some(({ code }) => code === 126)).toBe(true);
});

test.runIf(isRoot)('another place that is mounted where a protected one should be is noticed', async () => {
  const { at, order } = makeMachine();
  mkdirSync(at('work/.claude'));
  // What a swap in the right moment would lead to.
  const mount = 'mount --bind "$0" "$1" && shift && exec "$@"';
  const prefix = ['unshare', '--mount', 'sh', '-c', mount, at('user/.ssh'), at('work/.claude')];
  const [refused] = await runBehind(prefix, { ...order, scripts: ['cat .claude/id'] });
  expect(refused).toMatchObject({ code: 126, stdout: '' });
  expect(refused?.stderr).toContain(`${at('work/.claude')} was moved or replaced meanwhile.`);
});

test('nothing that a command leaves in its own folders is on the way to the workspace, whose name may be odd', async () => {
  const { at, write, order } = makeMachine();
  const cwd = at('user/src/Project 1 \\x #2');
  write('user/src/Project 1 \\x #2/file', 'mine');
  const leave = 'ln -s nowhere ~/src; ln -s / /tmp/toolyard; echo left';
  const results = await run('who runs the tests', {
    ...order,
    roots: [cwd],
    cwd,
    scripts: [leave, 'cat file; pwd; ls -A ~'],
  });
  expect(results.map(({ stdout }) => stdout)).toEqual(['left\n', `mine${cwd}\n.gitconfig\nsrc\n`]);
});

test('what a killed server left of its commands is gone after the next start', async () => {
  const { at, order } = makeMachine();
  const [file = '', ...args] = [process.execPath, await bundled(program)];
  const server = spawn(file, [...args, JSON.stringify({ ...order, scripts: ['touch here; sleep 30'] })]);
  onTestFinished(() => void server.kill('SIGKILL'));
  while (!existsSync(at('work/here'))) await pause(10);
  expect(readdirSync(at('work'))).toContain('.mcp.json');
  server.kill('SIGKILL');
  await once(server, 'exit');
  await run('who runs the tests', { ...order, scripts: [] });
  expect(readdirSync(at('work')).sort()).toEqual(['.git', 'file', 'here']);
  expect(readdirSync(at('home/shells'))).toEqual(['etc']);
});

test('all attempts of the doctor to get out fail', async () => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  expect(await proveConfinement(process.env, quiet)).toEqual([]);
});

const protectedPaths = [
  ...['.git/hooks', '.git/config', '.git/commondir', '.git/modules/part/config', '.git/modules/part/hooks'],
  ...['.git/worktrees/tree/commondir', '.git/worktrees/tree/gitdir', '.claude', '.toolyard', '.mcp.json'],
  'toolyard.yaml',
];

/** What is there, with what it holds. */
function listAll(root: string, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => {
      const path = join(root, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory()) return [name, listAll(path, readdirSync(path))];
      return [name, found?.isFile() ? readFileSync(path, 'utf8') : found && 'another thing'];
    }),
  );
}
