// Every command as data. Importing this loads no implementation: each is loaded when it is called.
import { agentCommands } from './agent-commands.ts';
import type { Command } from './command-line/arguments.ts';
import { json, mode, role, turnNotes } from './command-line/options.ts';
import { decisionCommands } from './decision-commands.ts';
import { sessionCommands } from './session-commands.ts';

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
      {
        name: 'trace',
        summary: "Write what the claude engine and its CLI say into the home's folder traces",
      },
      { name: 'open', summary: 'Open the page in a browser, logged in' },
      { name: 'idle-exit', value: 'SECONDS', summary: 'Stop after this long with nothing to do' },
    ],
    notes: 'Ctrl-C stops it in good order; a second Ctrl-C at once.',
    isServer: true,
    run: async (call) => (await import('./server/serve.ts')).serve(call),
  },
  {
    name: 'run',
    summary: 'Send a prompt and watch the turn',
    usage: 'run [options] "prompt"',
    options: [
      { name: 'role', value: 'ROLE', summary: 'Role of the new session' },
      {
        name: 'task',
        value: 'TASK',
        summary: 'Task that the new session works on; created when there is none',
      },
      { name: 'engine', value: 'ENGINE', summary: 'Engine of the new session' },
      { name: 'model', value: 'MODEL', summary: 'Model of the new session, as provider/model' },
      mode,
      { name: 'session', value: 'ID', summary: 'Continue this session instead of opening a new one' },
      {
        name: 'image',
        value: 'FILE',
        repeats: true,
        summary: 'Send a PNG, JPEG, GIF or WebP along; repeatable',
      },
      {
        name: 'file',
        value: 'FILE',
        repeats: true,
        summary: 'Send a file of text, a PDF or an image along; repeatable',
      },
      { name: 'trace', summary: 'Write what the claude engine and its CLI say into a file, and say where' },
      { name: 'json', summary: 'Print one event per line, as JSON' },
    ],
    positionals: { name: 'a prompt', min: 0, max: Number.POSITIVE_INFINITY },
    notes: `The answer goes to stdout, everything else to stderr. Without words, or with -, the prompt is read
from stdin. When no server runs, one is started in the background.

A call that needs your approval is asked about here: a allows it once, s in this session, w always, d denies it.
What the agent asks you, or one that it has drafted, is answered here too. Where nobody can be asked, the command to
answer with is printed and the turn waits.

${turnNotes}`,
    run: async (call) => (await import('./run/run.ts')).run(call),
  },
  ...sessionCommands,
  ...agentCommands,
  {
    name: 'tools',
    summary: 'List the tools that agents may call, and call one',
    usage: 'tools list|call',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Tools that a role may call',
        usage: 'tools list [--role ROLE] [--explain] [--mode MODE] [--json]',
        options: [
          role,
          { name: 'explain', summary: 'Every tool: is it offered, would a call run, and by which rule' },
          mode,
          json,
        ],
        run: async (call) => (await import('./access/tools.ts')).listTools(call),
      },
      {
        name: 'call',
        summary: 'Call a tool yourself, under the same rules',
        usage: 'tools call NAME [JSON]',
        options: [
          { name: 'input', value: 'JSON', summary: 'The input, instead of a second word' },
          role,
          mode,
          {
            name: 'session',
            value: 'ID',
            summary: 'In this session: by its role, mode, directory and grants',
          },
          json,
        ],
        positionals: { name: 'the full name of a tool', min: 1, max: 2 },
        notes: `NAME is a full name such as mcp__toolyard__ping. The result goes to stdout.

Exit codes: 0 done, 1 failed, 2 usage, 3 denied or expired, 130 interrupted (Ctrl-C).`,
        run: async (call) => (await import('./access/tools-call.ts')).callTool(call),
      },
    ],
  },
  {
    name: 'models',
    summary: 'List the models a session may name',
    usage: 'models list',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Models with window, price, and whether they can be used now',
        usage: 'models list [--provider PROVIDER] [--json]',
        options: [{ name: 'provider', value: 'PROVIDER', summary: 'Only those of this provider' }, json],
        notes: 'What is not known is shown as unknown, never as zero.',
        run: async (call) => (await import('./server/models.ts')).listModels(call),
      },
    ],
  },
  {
    name: 'login',
    summary: 'Print a link that logs a browser in',
    usage: 'login [--open] [--json]',
    options: [{ name: 'open', summary: 'Open it in a browser' }, json],
    notes: 'The link works once, within a minute. When no server runs, one is started in the background.',
    run: async (call) => (await import('./server/login.ts')).login(call),
  },
  ...decisionCommands,
  {
    name: 'mcp',
    summary: 'Offer the tools to an MCP client on stdin and stdout',
    usage: 'mcp [--role ROLE]',
    options: [
      { name: 'role', value: 'ROLE', summary: 'Whose tools to offer (default: the configured role)' },
    ],
    notes: 'Clients start it themselves. When no server runs, one is started in the background.',
    run: async (call) => (await import('./mcp/mcp.ts')).serveMcp(call),
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
    run: async (call) => (await import('./server/rehearse.ts')).rehearse(call),
  },
  {
    name: 'config',
    summary: 'Show the configuration, and change it',
    usage: 'config path|get|set',
    options: [],
    subcommands: [
      {
        name: 'path',
        summary: 'Where the configuration file is',
        usage: 'config path',
        options: [],
        run: async (call) => (await import('./server/config.ts')).showPath(call),
      },
      {
        name: 'get',
        summary: 'The configuration in force, or one key of it',
        usage: 'config get [KEY] [--json]',
        options: [json],
        positionals: { name: 'a key', min: 0, max: 1 },
        notes: 'A key is written with dots: config get server.port',
        run: async (call) => (await import('./server/config.ts')).getConfig(call),
      },
      {
        name: 'set',
        summary: 'Change one key, through the server',
        usage: 'config set KEY VALUE | config set KEY --default [--json]',
        options: [{ name: 'default', summary: 'Back to what holds when nobody says anything' }, json],
        positionals: { name: 'a key and a value', min: 1, max: 2 },
        notes: `Lists are written with commas, groups as JSON; an entry of a map is a key too:
config set toolApproval.perTool.mcp__toolyard__ping auto`,
        run: async (call) => (await import('./server/config-set.ts')).setConfig(call),
      },
    ],
  },
  {
    name: 'backup',
    summary: 'Copy everything into one file while the server goes on',
    usage: 'backup [FILE] [--json]',
    options: [json],
    positionals: { name: 'a file', min: 0, max: 1 },
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
    positionals: { name: 'a backup', min: 1, max: 1 },
    notes: `Stop the server first. All of it is restored or nothing: a bad file changes nothing.`,
    run: async (call) => (await import('./server/backup.ts')).restore(call),
  },
  {
    name: 'doctor',
    summary: 'Check this machine and home, and say how to fix what is wrong',
    usage: 'doctor [--json]',
    options: [json],
    notes: 'Exit codes: 0 nothing failed, 1 something did.',
    run: async (call) => (await import('./server/doctor.ts')).doctor(call),
  },
];
