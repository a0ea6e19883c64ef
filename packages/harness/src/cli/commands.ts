// Every command as data. Importing this file loads no implementation: a command loads its own when it is called.
import { agentCommands } from './agent-commands.ts';
import type { Command } from './command-line/arguments.ts';
import { json, mode, role, turnNotes } from './command-line/options.ts';
import { decisionCommands } from './decision-commands.ts';
import { sessionCommands } from './session-commands.ts';

/** The first is the default: it runs when the command line names no command. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Start the server (the default command)',
    usage: 'serve [options]',
    options: [
      { name: 'port', value: 'PORT', summary: 'Port to listen on; 0 picks a free one (default 4242)' },
      { name: 'host', value: 'HOST', summary: 'Address to listen on (default 127.0.0.1)' },
      {
        name: 'workspace',
        value: 'DIR',
        summary: 'Directory of sessions that name none (default: the current directory)',
      },
      { name: 'rehearse', summary: 'Use the built-in scripted model even when a key is set' },
      {
        name: 'trace',
        summary: 'Record the traffic with Claude Code in the folder traces of the home',
      },
      { name: 'open', summary: 'Open the page in a browser, logged in' },
      { name: 'idle-exit', value: 'SECONDS', summary: 'Stop after this many idle seconds' },
    ],
    notes: 'Ctrl-C shuts the server down cleanly; a second Ctrl-C stops it at once.',
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
        summary: 'Task of the new session; created if it does not exist',
      },
      { name: 'engine', value: 'ENGINE', summary: 'Engine of the new session' },
      { name: 'model', value: 'MODEL', summary: 'Model of the new session, as provider/model' },
      mode,
      { name: 'session', value: 'ID', summary: 'Continue this session instead of opening a new one' },
      {
        name: 'image',
        value: 'FILE',
        repeats: true,
        summary: 'Attach a PNG, JPEG, GIF or WebP image; repeatable',
      },
      {
        name: 'file',
        value: 'FILE',
        repeats: true,
        summary: 'Attach a text file, a PDF or an image; repeatable',
      },
      { name: 'trace', summary: 'Record the traffic with Claude Code in a file, and print its path' },
      { name: 'json', summary: 'Print one event per line, as JSON' },
    ],
    positionals: { name: 'a prompt', min: 0, max: Number.POSITIVE_INFINITY },
    notes: `The answer goes to stdout, everything else to stderr. Without a prompt, or with -, the prompt is read
from stdin. If no server is running, one is started in the background.

When a call needs your approval, you are asked here: a allows it once, s in this session, w always, d denies it.
Questions from the agent, and from agents that it drafts, are asked here too. Without a terminal nobody can be
asked: the command that answers is printed, and the turn waits.

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
          {
            name: 'explain',
            summary: 'Show for every tool if it is offered, if a call would run, and by which rule',
          },
          mode,
          json,
        ],
        run: async (call) => (await import('./decisions/tools.ts')).listTools(call),
      },
      {
        name: 'call',
        summary: 'Call a tool yourself, under the same rules',
        usage: 'tools call NAME [JSON]',
        options: [
          { name: 'input', value: 'JSON', summary: 'The input, instead of the second argument' },
          role,
          mode,
          {
            name: 'session',
            value: 'ID',
            summary: 'Call it in this session, with its role, mode, directory and grants',
          },
          json,
        ],
        positionals: { name: 'the full name of a tool', min: 1, max: 2 },
        notes: `NAME is a full name such as mcp__toolyard__ping. The result goes to stdout.

Exit codes: 0 done, 1 failed, 2 usage, 3 denied or expired, 130 interrupted (Ctrl-C).`,
        run: async (call) => (await import('./decisions/tools-call.ts')).callTool(call),
      },
    ],
  },
  {
    name: 'models',
    summary: 'List the models that sessions can use',
    usage: 'models list',
    options: [],
    subcommands: [
      {
        name: 'list',
        summary: 'Models with context window, price, and whether they are usable now',
        usage: 'models list [--provider PROVIDER] [--json]',
        options: [{ name: 'provider', value: 'PROVIDER', summary: 'Only models of this provider' }, json],
        notes: 'Unknown values are shown as unknown, never as zero.',
        run: async (call) => (await import('./server/models.ts')).listModels(call),
      },
    ],
  },
  {
    name: 'login',
    summary: 'Print a link that logs a browser in',
    usage: 'login [--open] [--json]',
    options: [{ name: 'open', summary: 'Open the link in a browser' }, json],
    notes:
      'The link works once, within a minute, and logs in at that address only: server.publicUrl if it is set.\nIf no server is running, one is started in the background.',
    run: async (call) => (await import('./server/login.ts')).login(call),
  },
  ...decisionCommands,
  {
    name: 'mcp',
    summary: 'Serve the tools to an MCP client over stdin and stdout',
    usage: 'mcp [--role ROLE]',
    options: [
      { name: 'role', value: 'ROLE', summary: 'Role whose tools are offered (default: the configured role)' },
    ],
    notes:
      'MCP clients start this command themselves. If no server is running, one is started in the background.',
    run: async (call) => (await import('./mcp/mcp.ts')).serveMcp(call),
  },
  {
    name: 'rehearse',
    summary: 'Serve only the scripted model, for any Anthropic client',
    usage: 'rehearse [options]',
    options: [
      { name: 'port', value: 'PORT', summary: 'Port to listen on (default: a free one)' },
      {
        name: 'scenario',
        value: 'FILE',
        summary: 'YAML file with what the model says (default: the built-in scenario)',
      },
    ],
    isServer: true,
    run: async (call) => (await import('./server/rehearse.ts')).rehearse(call),
  },
  {
    name: 'config',
    summary: 'Show and change the configuration',
    usage: 'config path|get|set',
    options: [],
    subcommands: [
      {
        name: 'path',
        summary: 'Print the path of the configuration file',
        usage: 'config path',
        options: [],
        run: async (call) => (await import('./server/config.ts')).showPath(call),
      },
      {
        name: 'get',
        summary: 'The configuration with its defaults, or one key of it',
        usage: 'config get [KEY] [--json]',
        options: [json],
        positionals: { name: 'a key', min: 0, max: 1 },
        notes: 'Write a key with dots: config get server.port',
        run: async (call) => (await import('./server/config.ts')).getConfig(call),
      },
      {
        name: 'set',
        summary: 'Change one key through the server',
        usage: 'config set KEY VALUE | config set KEY --default [--json]',
        options: [{ name: 'default', summary: 'Restore the default' }, json],
        positionals: { name: 'a key and a value', min: 1, max: 2 },
        notes: `Write lists with commas and groups as JSON. An entry of a map is a key too:
config set toolApproval.perTool.mcp__toolyard__ping auto`,
        run: async (call) => (await import('./server/config-set.ts')).setConfig(call),
      },
    ],
  },
  {
    name: 'backup',
    summary: 'Back up the home into one file while the server runs',
    usage: 'backup [FILE] [--json]',
    options: [json],
    positionals: { name: 'a file', min: 0, max: 1 },
    notes: `Prints the path. Without FILE the backup goes into the folder backups of the home, which keeps the newest ones
(backup.keep). It contains sessions, the audit, outputs, roles, skills and config.yaml, but not the token, logs or
traces. The file is read back and checked before it gets its name.`,
    run: async (call) => (await import('./server/backup.ts')).backup(call),
  },
  {
    name: 'restore',
    summary: 'Restore a home from a backup',
    usage: 'restore FILE [--home DIR] [--force] [--json]',
    options: [
      { name: 'home', value: 'DIR', summary: 'Home to restore into (default: the current home)' },
      {
        name: 'force',
        summary: 'Replace what is there; the old files are kept in a folder before-restore-…',
      },
      json,
    ],
    positionals: { name: 'a backup', min: 1, max: 1 },
    notes: 'Stop the server first. Either everything is restored or nothing: a bad file changes nothing.',
    run: async (call) => (await import('./server/backup.ts')).restore(call),
  },
  {
    name: 'doctor',
    summary: 'Check this machine and the home, and show how to fix problems',
    usage: 'doctor [--json]',
    options: [json],
    notes: 'Exit codes: 0 no check failed, 1 a check failed.',
    run: async (call) => (await import('./server/doctor.ts')).doctor(call),
  },
];
