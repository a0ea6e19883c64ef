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
        options: [{ name: 'limit', value: 'N', summary: 'How many (default 20)' }, json],
        run: async (call) => (await import('./sessions/sessions.ts')).listSessions(call),
      },
      {
        name: 'search',
        summary: 'Find what was said in any session',
        usage: 'sessions search QUERY [--limit N] [--json]',
        options: [{ name: 'limit', value: 'N', summary: 'How many (default 20)' }, json],
        positionals: { name: 'words to look for', min: 1, max: Number.POSITIVE_INFINITY },
        notes: `Titles, messages, answers and tool calls that hold all the words, in any case; the last word may be
the beginning of one. No character has a meaning of its own. Put what begins with a dash after --.`,
        run: async (call) => (await import('./sessions/sessions-search.ts')).searchSessions(call),
      },
      {
        name: 'show',
        summary: 'One session and its transcript',
        usage: 'sessions show ID [--context] [--numbers] [--json]',
        options: [
          { name: 'numbers', summary: 'With the number of each event, such as `sessions fork --at` takes' },
          {
            name: 'context',
            summary: 'What its agent is given: instructions, tools, how full its window is',
          },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        run: async (call) => (await import('./sessions/sessions.ts')).showSession(call),
      },
      {
        name: 'change',
        summary: 'Change its mode, model or title',
        usage: 'sessions change ID [--mode MODE] [--model MODEL] [--title TITLE]',
        options: [
          mode,
          { name: 'model', value: 'MODEL', summary: 'Model from the next turn on, as provider/model' },
          { name: 'title', value: 'TITLE', summary: 'How it is listed' },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: 'A mode counts from the next call on, also in a turn that is under way.',
        run: async (call) => (await import('./sessions/sessions-change.ts')).changeSession(call),
      },
      {
        name: 'retry',
        summary: 'Run the last turn again from where it stopped',
        usage: 'sessions retry ID [--json]',
        options: [{ name: 'json', summary: 'Print one event per line, as JSON' }],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: turnNotes,
        run: async (call) => (await import('./run/run.ts')).retry(call),
      },
      {
        name: 'fork',
        summary: 'Open a session that goes on from a part of this one',
        usage: 'sessions fork ID [--at NUMBER] [--title TITLE] [--json]',
        options: [
          { name: 'at', value: 'NUMBER', summary: 'An event of the last turn to keep (default: all of it)' },
          { name: 'title', value: 'TITLE', summary: 'How the fork is listed' },
          json,
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        notes: `Prints the id of the new session. Whole turns are kept; to say something else instead of a message,
fork at the number before it. Numbers: sessions show ID --numbers.`,
        run: async (call) => (await import('./sessions/sessions-change.ts')).forkSession(call),
      },
      {
        name: 'export',
        summary: 'The whole session as a file, to read or for programs',
        usage: 'sessions export ID [--format FORMAT] [--output FILE [--force]]',
        options: [
          { name: 'format', value: 'FORMAT', summary: 'markdown (default) or json, with every event' },
          { name: 'output', value: 'FILE', summary: 'Write to this file instead of stdout' },
          { name: 'force', summary: 'Replace a file of that name' },
        ],
        positionals: { name: 'the id of a session', min: 1, max: 1 },
        run: async (call) => (await import('./sessions/sessions-export.ts')).exportSession(call),
      },
      {
        name: 'delete',
        summary: 'Delete a session and all that is kept of it',
        usage: 'sessions delete ID… [--yes] [--json]',
        options: [{ name: 'yes', summary: 'Do not ask' }, json],
        positionals: { name: 'the id of a session', min: 1, max: Number.POSITIVE_INFINITY },
        notes: `There is no way back. A turn under way is interrupted. What stays: the audit, and transcripts that Claude
Code keeps in its own folder.`,
        run: async (call) => (await import('./sessions/sessions-change.ts')).deleteSessions(call),
      },
    ],
  },
];
