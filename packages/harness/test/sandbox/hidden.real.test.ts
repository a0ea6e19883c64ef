// What a process gets to see of its server: not the home, not the environment, not the server itself.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { kinds, reportOf } from './family.ts';
import { findProcesses, newFolders, openTestSandbox, run } from './support.ts';

/** Set in this very process, so that the real environment would give it away. */
function plantCanaries(): NodeJS.ProcessEnv {
  const canaries = {
    ANTHROPIC_API_KEY: 'canary-key',
    TOOLYARD_TOKEN: 'canary-token',
    OTHER_SECRET: 'canary-other',
  };
  Object.assign(process.env, canaries);
  onTestFinished(() => {
    for (const name of Object.keys(canaries)) delete process.env[name];
  });
  return process.env;
}

function parseEnv(text: string): Record<string, string> {
  const lines = text.trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
}

describe('the home', () => {
  test('shows nothing but an empty folder of the process’s own and cannot be written, whatever is put into it later', async () => {
    const sandbox = await openTestSandbox('namespace');
    const { home } = sandbox;
    const script = `ls -A ${home}; cat ${home}/token; cat ${home}/late; touch ${home}/mark && echo written`;
    const running = run(sandbox, `sleep 0.2; ${script}`);
    writeFileSync(join(home, 'late'), 'canary-late');
    const { stdout, stderr } = await running;
    expect(stdout).toBe('run\n');
    expect(stderr.match(/No such file|Read-only/g)).toHaveLength(3);
    expect(readFileSync(join(home, 'token'), 'utf8')).toBe('canary-token');
  });

  test('holds a folder that each process has for itself, and that leaves nothing behind', async () => {
    const sandbox = await openTestSandbox('namespace');
    const { home } = sandbox;
    const [one, other] = await Promise.all([
      run(sandbox, `echo one > ${home}/run/note; sleep 0.3; ls ${home}/run`),
      run(sandbox, `sleep 0.1; ls ${home}/run; touch ${home}/run/late; sleep 0.3; ls ${home}/run`),
    ]);
    expect([one.stdout, other.stdout]).toEqual(['note\n', 'late\n']);
    expect(existsSync(join(home, 'run'))).toBe(false);
  });

  test('cannot be reached through /proc: neither by root, nor by cwd, nor by an open file', async () => {
    const sandbox = await openTestSandbox('namespace');
    const { home } = sandbox;
    const { stdout } = await run(
      sandbox,
      `for p in /proc/[0-9]*; do cat $p/root${home}/token $p/cwd/token; ls -l $p/fd | grep ${home}; done
       cat /proc/${process.pid}/root${home}/token; cat /proc/[0-9]*/cmdline | tr '\\0' ' '`,
    );
    expect(stdout).not.toContain('canary');
    expect(stdout).not.toContain(process.execPath);
    expect(stdout).toContain('bwrap');
  });

  test('stays hidden from a process that tries to lift what hides it', async () => {
    const sandbox = await openTestSandbox('namespace');
    const { home } = sandbox;
    const tries = [
      `umount ${home}`,
      `umount -l ${home}`,
      `mount -t tmpfs none /mnt`,
      'nsenter -t 1 -m true',
      'unshare -m true',
      `unshare -Urm umount ${home}`,
      `mknod ${sandbox.workspace}/disk b 8 0`,
      'chroot / true',
    ];
    const { stdout } = await run(
      sandbox,
      `${tries.map((each) => `${each} && echo "${each}"`).join('\n')}\nls -A ${home}`,
    );
    expect(stdout).toBe('run\n');
  });

  test('is hidden where it really is, when the path to it is a link', async () => {
    const folders = newFolders();
    const link = join(folders.workspace, 'link');
    symlinkSync(folders.home, link);
    const sandbox = await openTestSandbox('namespace', { ...folders, home: link });
    const { stdout } = await run(sandbox, `ls -A ${link}/ ${folders.home}/ | grep -v :; cat ${link}/token`);
    expect(stdout.trim().split(/\s+/)).toEqual(['run', 'run']);
  });
});

test.runIf(process.getuid?.() === 0)(
  'root cannot change the kernel or reach a disk, but may work on files',
  async () => {
    const sandbox = await openTestSandbox('namespace');
    const file = join(sandbox.workspace, 'file');
    writeFileSync(file, '', { mode: 0 });
    const { stdout } = await run(
      sandbox,
      `true > /proc/sys/kernel/hostname && echo sysctl
     true > /sys/kernel/uevent_helper && echo uevent
     find /dev -type b
     echo more >> ${file} && chown 65534 ${file} && setpriv --reuid 65534 --clear-groups echo files`,
    );
    expect(stdout).toBe('files\n');
  },
);

describe.each(kinds)('the environment with a %s', (kind) => {
  test('is what the spec says and five harmless names', async () => {
    const server = {
      ...plantCanaries(),
      PATH: '/usr/bin:/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      TERM: 'dumb',
    };
    const sandbox = await openTestSandbox(kind, newFolders(), server);
    const { stdout } = await run(sandbox, 'env', { env: { GIVEN: 'a "b" $c\'d', TERM: 'xterm' } });
    const { TOOLYARD_PROCESS, ...seen } = parseEnv(stdout);
    expect(seen).toEqual({
      PATH: '/usr/bin:/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      TERM: 'xterm',
      PWD: sandbox.workspace,
      GIVEN: 'a "b" $c\'d',
    });
    // The mark by which a stray is found where there are no namespaces.
    expect(TOOLYARD_PROCESS).toEqual(kind === 'group' ? expect.stringMatching(/^prc_/) : undefined);
  });

  test('has a usual PATH when the server has none', async () => {
    const sandbox = await openTestSandbox(kind, newFolders(), {});
    expect((await run(sandbox, 'echo $PATH')).stdout).toBe('/usr/local/bin:/usr/bin:/bin\n');
  });

  test('stands in no command line that others can read', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sleep', ['3600'], { env: { API_KEY: 'canary-in-spec' } });
    expect(findProcesses('canary-in-spec')).toEqual([]);
    await owned.kill();
  });
});

test('no process in the namespace has a secret of the server in its environment, nor one of the spec outside', async () => {
  const sandbox = await openTestSandbox('namespace', newFolders(), plantCanaries());
  const { stdout } = await run(sandbox, "cat /proc/[0-9]*/environ | tr '\\0' '\\n'", {
    env: { LD_LIBRARY_PATH: '/spec' },
  });
  expect(stdout).toContain('LD_LIBRARY_PATH=/spec');
  expect(stdout).not.toContain('canary');

  const owned = await sandbox.start('sleep', ['3600'], { env: { LD_PRELOAD: '/spec.so' } });
  const outside = parseEnv(readFileSync(`/proc/${owned.pid}/environ`, 'utf8').replaceAll('\0', '\n'));
  expect(outside).toEqual({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TOOLYARD_PROCESS: expect.stringMatching(/^prc_/),
  });
  await owned.kill();
});

test('a canary never reaches the log or an error', async () => {
  const folders = newFolders();
  const logged: unknown[] = [];
  const note = (...words: unknown[]) => void logged.push(words);
  const sandbox = await openSandbox({
    home: folders.home,
    env: plantCanaries(),
    logger: { debug: note, info: note, warn: note, error: note },
    probe: () => reportOf('namespace'),
  });
  const spec = {
    args: ['canary-argument'],
    cwd: folders.workspace,
    env: { KEY: 'canary-spec' },
    purpose: 'a test',
  };
  const owned = await sandbox.spawn({ ...spec, command: 'echo' });
  await owned.exited;
  const refused = await sandbox
    .spawn({ ...spec, command: 'no-such-program' })
    .catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ name: 'ToolyardError' });
  await sandbox.close();
  expect(JSON.stringify([logged, refused, String(refused)])).not.toContain('canary');
  expect(logged).toEqual([
    [
      'process started',
      { purpose: 'a test', command: '/usr/bin/echo', pid: owned.pid, id: expect.any(String) },
    ],
  ]);
});
