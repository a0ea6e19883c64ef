// Every command as data. Importing this loads no implementation: each is loaded when it is called.
import type { Command, Option } from './arguments.ts';

const json: Option = { name: 'json', summary: 'Print JSON for programs' };

const turnNotes = 'Exit codes: 0 done, 1 failed, 2 usage, 3 denied or limit, 130 interrupted (Ctrl-C).';

/** The first is what a command line without a command word means. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Start the server (also what happens without a command)',
    usage: 'serve [options]',
    options: [
      { name: 'port', value: 'PORT', summary: 'Port to listen on; 0 picks a free one (default 4242)' },
      { name: 'host', value: 'HOST', summary: 'Address to listen on (default 127.0.0.1)' },
      {
        name: 'workspace',
        value: 'DIR',
        summary: 'Directory of sessions that name none (default: where you are)',
      },
      { name: 'rehearse', summary: 'Use the built-in scripted model even when a key is there' },
      { name: 'idle-exit', value: 'SECONDS', summary: 'Stop after this long with nothing to do' },
    ],
    notes: 'Ctrl-C stops it in good order; a second Ctrl-C at once.',
    isServer: true,
    run: async (call) => (await import('./serve.ts')).serve(call),
  },
  {
    name: 'run',
    summary: 'Send a prompt and watch the turn',
    usage: 'run [options] "prompt"',
    options: [
      { name: 'role', value: 'ROLE', summary: 'Role of the new session' },
      { name: 'engine', value: 'ENGINE', summary: 'Engine of the new session' },
      { name: 'model', value: 'MODEL', summary: 'Model of the new session, as provider/model' },
      {
        name: 'mode',
        value: 'MODE',
        summary: 'Permission mode: default, acceptEdits, plan, bypassPermissions',
      },
      { name: 'session', value: 'ID', summary: 'Continue this session instead of opening a new one' },
      { name: 'json', summary: 'Print one event per line, as JSON' },
    ],
    positionals: { name: 'a prompt', least: 0, most: Number.POSITIVE_INFINITY },
    notes: `The answer goes to stdout, everything else to stderr. Without words, or with -, the prompt is read
from stdin. When no server runs, one is started in the background.

${turnNotes}`,
    run: async (call) => (await import('./run.ts')).run(call),
  },
  {
    name: 'sessions',
    summary: 'List, show and retry sessions',
    usage: 'sessions list|show|retry',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Sessions, newest first',
        usage: 'sessions list [--limit N] [--json]',
        options: [{ name: 'limit', value: 'N', summary: 'How many (default 20)' }, json],
        run: async (call) => (await import('./sessions.ts')).listSessions(call),
      },
      {
        name: 'show',
        summary: 'One session and its transcript',
        usage: 'sessions show ID [--json]',
        options: [json],
        positionals: { name: 'the id of a session', least: 1, most: 1 },
        run: async (call) => (await import('./sessions.ts')).showSession(call),
      },
      {
        name: 'retry',
        summary: 'Run the last turn again from where it stopped',
        usage: 'sessions retry ID [--json]',
        options: [{ name: 'json', summary: 'Print one event per line, as JSON' }],
        positionals: { name: 'the id of a session', least: 1, most: 1 },
        notes: turnNotes,
        run: async (call) => (await import('./run.ts')).retry(call),
      },
    ],
  },
  {
    name: 'tools',
    summary: 'List the tools that agents may call',
    usage: 'tools list',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Tools that agents may call',
        usage: 'tools list [--json]',
        options: [json],
        run: async (call) => (await import('./tools.ts')).listTools(call),
      },
    ],
  },
  {
    name: 'rehearse',
    summary: 'Serve the scripted model alone, for any Anthropic client',
    usage: 'rehearse [options]',
    options: [
      { name: 'port', value: 'PORT', summary: 'Port to listen on (default: a free one)' },
      {
        name: 'scenario',
        value: 'FILE',
        summary: 'What the model says, as YAML (default: the built-in one)',
      },
    ],
    isServer: true,
    run: async (call) => (await import('./rehearse.ts')).rehearse(call),
  },
  {
    name: 'config',
    summary: 'Show the configuration',
    usage: 'config path|get',
    options: [],
    subcommands: [
      {
        name: 'path',
        summary: 'Where the configuration file is',
        usage: 'config path',
        options: [],
        run: async (call) => (await import('./config.ts')).showPath(call),
      },
      {
        name: 'get',
        summary: 'The configuration in force, or one key of it',
        usage: 'config get [KEY] [--json]',
        options: [json],
        positionals: { name: 'a key', least: 0, most: 1 },
        notes: 'A key is written with dots: config get server.port',
        run: async (call) => (await import('./config.ts')).getConfig(call),
      },
    ],
  },
  {
    name: 'doctor',
    summary: 'Check this machine and home, and say how to fix what is wrong',
    usage: 'doctor [--json]',
    options: [json],
    notes: 'Exit codes: 0 nothing failed, 1 something did.',
    run: async (call) => (await import('./doctor.ts')).doctor(call),
  },
];
