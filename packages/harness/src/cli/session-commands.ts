// The commands about sessions, as data.
import type { Command } from './command-line/arguments.ts';
import { json, mode, turnNotes } from './command-line/options.ts';

export const sessionCommands: readonly Command[] = [
  {
    name: 'sessions',
    summary: 'List, search, show, change, retry, fork, export and delete sessions',
    usage: 'sessions list|search|show|change|retry|fork|export|delete',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Sessions, newest first',
        usage: 'sessions list [--limit N] [--json]',
        options: [{ name: 'limit', value: 'N', summary: 'Maximum number (default 20)' }, json],
        run: async (call) => (await import('./sessions/sessions.ts')).listSessions(call),
      },
      {
        name: 'search',
        summary: 'Find what was said in any session',
        usage: 'sessions search QUERY [--limit N] [--json]',
        options: [{ name: 'limit', value: 'N', summary: 'Maximum number (default 20)' }, json],
        positionals: { name: 'words to look for', min: 1, max: Number.POSITIVE_INFINITY },
        notes: `Finds titles, messages, answers and tool calls that contain all the words. Case does not matter, and the last
word may be the beginning of a longer one. No character is special. Put a query that begins with a dash after --.`,
        run: async (call) => (await import('./sessions/sessions-search.ts')).searchSessions(call),
      },
      {
        name: 'show',
        summary: 'One session and its transcript',
        usage: 'sessions show ID [--context] [--numbers] [--json]',
        options: [
          { name: 'numbers', summary: 'Show the number of each event, for `sessions fork --at`' },
          {
            name: 'context',
            summary: 'Show what its agent gets: instructions, tools, and how full its context window is',
          },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        run: async (call) => (await import('./sessions/sessions.ts')).showSession(call),
      },
      {
        name: 'change',
        summary: 'Change the mode, model or title of a session',
        usage: 'sessions change ID [--mode MODE] [--model MODEL] [--title TITLE]',
        options: [
          mode,
          { name: 'model', value: 'MODEL', summary: 'Model from the next turn on, as provider/model' },
          { name: 'title', value: 'TITLE', summary: 'New title' },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: 'A mode applies from the next call, even during a turn.',
        run: async (call) => (await import('./sessions/sessions-change.ts')).changeSession(call),
      },
      {
        name: 'retry',
        summary: 'Retry the last turn from where it stopped',
        usage: 'sessions retry ID [--json]',
        options: [{ name: 'json', summary: 'Print one event per line, as JSON' }],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: turnNotes,
        run: async (call) => (await import('./run/run.ts')).retry(call),
      },
      {
        name: 'fork',
        summary: 'Open a session that continues a part of this one',
        usage: 'sessions fork ID [--at NUMBER] [--title TITLE] [--json]',
        options: [
          {
            name: 'at',
            value: 'NUMBER',
            summary: 'Number of an event in the last turn to keep (default: keep all turns)',
          },
          { name: 'title', value: 'TITLE', summary: 'Title of the fork' },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: `Prints the id of the new session. The fork keeps whole turns. To replace a message, fork at the number before
it. To see the numbers: sessions show ID --numbers.`,
        run: async (call) => (await import('./sessions/sessions-change.ts')).forkSession(call),
      },
      {
        name: 'export',
        summary: 'Export a whole session as Markdown or JSON',
        usage: 'sessions export ID [--format FORMAT] [--output FILE [--force]]',
        options: [
          { name: 'format', value: 'FORMAT', summary: 'markdown (default), or json with every event' },
          { name: 'output', value: 'FILE', summary: 'Write to this file instead of stdout' },
          { name: 'force', summary: 'Replace an existing file' },
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        run: async (call) => (await import('./sessions/sessions-export.ts')).exportSession(call),
      },
      {
        name: 'delete',
        summary: 'Delete a session and everything stored for it',
        usage: 'sessions delete ID… [--yes] [--json]',
        options: [{ name: 'yes', summary: 'Do not ask for confirmation' }, json],
        positionals: { name: 'the id of a session', min: 1, max: Number.POSITIVE_INFINITY },
        notes: `This cannot be undone. A running turn is interrupted. The audit stays, and so do transcripts that Claude Code
keeps in its own folder.`,
        run: async (call) => (await import('./sessions/sessions-change.ts')).deleteSessions(call),
      },
    ],
  },
];
