// The commands that copy a home and put one back, as data.
import type { Command } from './command-line/arguments.ts';
import { json } from './command-line/options.ts';

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Copy everything into one file while the server goes on',
    usage: 'backup [FILE] [--json]',
    options: [json],
    positionals: { name: 'a file', least: 0, most: 1 },
    notes: `Prints the path. Without FILE it goes into the home's folder backups, where the newest few are kept
(backup.keep). In it: sessions, the audit, outputs, roles, skills and config.yaml; not the token, logs or traces.
The file is read back and checked before it gets its name.`,
    run: async (call) => (await import('./server/backup.ts')).backup(call),
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of a home',
    usage: 'restore FILE [--home DIR] [--force] [--json]',
    options: [
      { name: 'home', value: 'DIR', summary: 'The home to restore into (default: the one in use)' },
      { name: 'force', summary: 'Replace what is there; it is kept in a folder before-restore-…' },
      json,
    ],
    positionals: { name: 'a backup', least: 1, most: 1 },
    notes: `Stop the server first. All of it is restored or nothing: a bad file changes nothing.`,
    run: async (call) => (await import('./server/backup.ts')).restore(call),
  },
];
