// What bubblewrap is asked for: a PID namespace that dies with the server and a view of the machine without the home.
// This is ownership, not confinement: the process sees every other file its user sees.
import { join } from 'node:path';
import { privateFolder, type ShownPath } from '@toolyard/sdk';
import type { Environment } from './environment.ts';

export interface NamespaceView {
  /** Real paths of folders the process must not see. */
  hidden: readonly string[];
  shown?: readonly ShownPath[];
  /** Real paths. All else is read-only, and there is no network. */
  writable?: readonly string[] | undefined;
  cwd: string;
  env: Environment;
  /** The server runs as root, and so will the process. */
  isRoot: boolean;
}

/**
 * Where the gate talks and where the options come from. Bubblewrap itself gets nothing to write to: when it fails to,
 * because the server is gone, it dies and leaves its other half behind.
 */
export const descriptors = { gate: 3, options: 4 } as const;

/**
 * The options, for `--args`: on the command line anyone could read the environment's values there. Bubblewrap itself
 * runs with another environment, so that nothing in this one (LD_PRELOAD) acts outside the namespace.
 */
export function toOptions(view: NamespaceView): string[] {
  const { hidden, shown = [], writable, cwd, env, isRoot } = view;
  const isBound = writable !== undefined;
  return [
    ...(isBound
      ? ['--ro-bind', '/', '/', '--dev', '/dev']
      : isRoot
        ? ['--bind', '/', '/', '--dev', '/dev']
        : ['--dev-bind', '/', '/']),
    ...(isRoot ? rootView : ['--proc', '/proc']),
    // It may lie in what was just covered, such as /dev/shm.
    ...(isBound ? ['--ro-bind', cwd, cwd] : []),
    ...(writable ?? []).flatMap((path) => ['--bind', path, path]),
    ...(isBound ? ['--unshare-net', '--unshare-ipc'] : []),
    ...hidden.flatMap((path) => ['--tmpfs', path, '--tmpfs', join(path, privateFolder)]),
    ...shown.flatMap(({ path, at = path, access }) => [access === 'read' ? '--ro-bind' : '--bind', path, at]),
    ...hidden.flatMap((path) => ['--remount-ro', path]),
    '--unshare-pid',
    '--die-with-parent',
    ...['--chdir', cwd],
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** What root may keep without being able to undo its namespace: work on files, other users' too, and on its own kind. */
const keptCapabilities = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_KILL',
  'CAP_NET_BIND_SERVICE',
  // To be itself in the namespaces of its commands.
  'CAP_SETFCAP',
  'CAP_SETGID',
  'CAP_SETUID',
];

/** Root could unmount what hides the home, read it off the disk's device, or have the kernel run a program outside. */
const rootView = [
  ...['--ro-bind-try', '/sys', '/sys'],
  ...['--proc', '/proc'],
  ...['--ro-bind-try', '/proc/sys', '/proc/sys'],
  ...['--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger'],
  ...['--cap-drop', 'ALL'],
  ...keptCapabilities.flatMap((name) => ['--cap-add', name]),
];

/**
 * Between its start and its binding to the server, bubblewrap would outlive a killed server and run the command all
 * the same. So the command waits behind this: it says it is there, and goes on only if the server still answers.
 */
const gate = `printf ready >&${descriptors.gate}
read -r answer <&${descriptors.gate} && [ "$answer" = go ] || exit 125
exec "$@" ${descriptors.gate}>&-`;

export const goAhead = 'go\n';

/** The command line of what needs no gate. */
export function toBriefArguments(file: string, args: readonly string[]): string[] {
  return ['--args', String(descriptors.options), '--', file, ...args];
}

/** The whole command line. The command and its arguments stay words of their own; the script never sees them as text. */
export function toArguments(file: string, args: readonly string[]): string[] {
  return ['--args', String(descriptors.options), '--', '/bin/sh', '-c', gate, 'toolyard', file, ...args];
}
