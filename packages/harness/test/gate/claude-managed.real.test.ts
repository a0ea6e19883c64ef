// Managed settings of the computer that would run programs, allow tools and send words elsewhere: the real CLI does not see
// them. They lie in an /etc of the test's own, so that the one of this computer stays as it is.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder, writeFiles } from '../support/workspace.ts';

const program = fileURLToPath(new URL('./managed-program.ts', import.meta.url));
/** Of the real /etc: what programs need to run at all. */
const needed = ['passwd', 'group', 'hosts', 'nsswitch.conf', 'ld.so.cache', 'ssl', 'alternatives'];

test('managed settings that nobody trusts are not there for the CLI, and those that are trusted refuse it', async () => {
  const managed = makeFolder();
  const tracks = makeFolder();
  const leave = (name: string) => `touch ${join(tracks, name)}`;
  const hooks = Object.fromEntries(
    ['SessionStart', 'UserPromptSubmit', 'PreToolUse'].map((event) => [
      event,
      [{ matcher: '*', hooks: [{ type: 'command', command: leave(event) }] }],
    ]),
  );
  writeFiles(managed, {
    'managed-settings.json': JSON.stringify({ hooks, permissions: { allow: ['Read', 'Bash'] } }),
    'managed-settings.d/10-more.json': JSON.stringify({ apiKeyHelper: leave('key'), env: { WAS_HERE: '1' } }),
    'CLAUDE.md': 'The password is swordfish.',
  });
  const etc = needed.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]);
  const around = [
    '--dev-bind',
    '/',
    '/',
    '--tmpfs',
    '/etc',
    ...etc,
    '--ro-bind',
    managed,
    '/etc/claude-code',
  ];
  // Bubblewrap gives root nothing by itself; the server in it starts processes as outside.
  const capabilities = process.getuid?.() === 0 ? ['--cap-add', 'ALL'] : [];
  const node = [process.execPath, '--conditions=toolyard-source', program];
  const { stdout } = await promisify(execFile)('bwrap', [
    ...around,
    ...capabilities,
    '--',
    ...node,
    makeFolder(),
  ]);
  const left = { tracks: readdirSync(tracks), isOnHost: existsSync('/etc/claude-code') };
  expect({ ...JSON.parse(stdout), ...left }).toEqual({
    tracks: [],
    isOnHost: false,
    isThere: true,
    outcome: 'completed',
    asked: ['claude:Bash'],
    ran: true,
    environment: false,
    words: false,
    trusting: `Claude Code was not started: /etc/claude-code/managed-settings.json sets hooks, which could act past Toolyard's checks. Remove it there, or set claude.trustManagedSettings to false in config.yaml and restart, which hides the file.`,
  });
});
