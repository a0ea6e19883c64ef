// One scripted session with the lines between the SDK and the CLI listened to: what they say to each other about tools,
// permissions and hooks, by topic and without what differs from run to run.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { type CliSession, openCli } from './cli-session.ts';
import { createNormalizer } from './normalize.ts';
import { createYardServer } from './recorded-sessions.ts';

export const wireTopics = ['initialize', 'hook', 'permission', 'tools-call', 'cancel'] as const;
type WireTopic = (typeof wireTopics)[number];
export type Wire = Record<WireTopic, object[]>;

export const refreshCommand =
  'node --conditions=toolyard-source packages/harness/test/engines/claude/record.ts --wire';

type Line = Record<string, unknown> & { from: 'host' | 'cli' };
type Listen = (from: Line['from'], text: string) => void;

/** Plays the session with the SDK that is installed. */
export async function recordWire(): Promise<Wire> {
  await using cli = await openCli();
  const normalize = createNormalizer(cli.folders);
  const lines: Line[] = [];
  await play(
    (options) => cli.start({ options }),
    (from, text) => lines.push({ from, ...JSON.parse(text) }),
  );
  const wire: Wire = { initialize: [], hook: [], permission: [], 'tools-call': [], cancel: [] };
  for (const line of lines) {
    const topic = topicOf(line);
    if (topic) wire[topic].push(...[line, ...answersTo(line, lines)].map((each) => Object(normalize(each))));
  }
  return wire;
}

export function readWire(topic: WireTopic): object[] {
  const lines = readFileSync(fileOf(topic), 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Returns the names of the files. */
export function writeWire(wire: Wire): string[] {
  return wireTopics.map((topic) => {
    writeFileSync(fileOf(topic), wire[topic].map((line) => `${JSON.stringify(line)}\n`).join(''));
    return `wire/${topic}.jsonl: ${wire[topic].length} lines`;
  });
}

function fileOf(topic: WireTopic): URL {
  return new URL(`./wire/${topic}.jsonl`, import.meta.url);
}

/** A call that runs, one interrupted while its person is asked, and one interrupted while it runs. */
async function play(start: (options: Options) => CliSession, listen: Listen): Promise<void> {
  let answer = 'allow';
  const session = start({
    mcpServers: { yard: createYardServer(() => void session.query.interrupt()) },
    hooks: { PreToolUse: [{ onFailure: 'block', timeout: 60, hooks: [async () => ask] }] },
    canUseTool: async (_, input) => {
      if (answer === 'allow') return { behavior: 'allow', updatedInput: input };
      void session.query.interrupt();
      return new Promise(() => {});
    },
    spawnClaudeCodeProcess: (options) => spawnTapped(options, listen),
  });
  for (const [prompt, next] of [
    ['record: mcp tool', 'never'],
    ['record: slow tool', 'allow'],
    ['record: slow tool', 'allow'],
  ] as const) {
    session.send(prompt);
    await session.turn();
    answer = next;
  }
  await session.close();
}

const ask = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: 'A person is asked.',
  },
} as const;

/** Stands beside its request, since the two directions of the wire race each other. */
function answersTo(request: Line, lines: Line[]): Line[] {
  if (request.type !== 'control_request') return [];
  const isAnswer = ({ type, response }: Line) =>
    type === 'control_response' && Object(response).request_id === request.request_id;
  return lines.filter(isAnswer);
}

function topicOf(line: Line): WireTopic | undefined {
  if (line.type === 'control_cancel_request') return 'cancel';
  return line.type === 'control_request' ? requestTopic(Object(line.request)) : undefined;
}

function requestTopic({ subtype, message }: Record<string, unknown>): WireTopic | undefined {
  if (subtype === 'initialize') return 'initialize';
  if (subtype === 'hook_callback') return 'hook';
  if (subtype === 'can_use_tool') return 'permission';
  if (subtype === 'interrupt') return 'cancel';
  if (subtype !== 'mcp_message') return undefined;
  return String(Object(message).method).startsWith('notifications/') ? 'cancel' : 'tools-call';
}

type Spawn = NonNullable<Options['spawnClaudeCodeProcess']>;

function spawnTapped({ command, args, cwd, env, signal }: Parameters<Spawn>[0], listen: Listen) {
  const child = spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'ignore'] });
  const toCli = createLines((text) => listen('host', text));
  const fromCli = createLines((text) => listen('cli', text));
  const write = child.stdin.write.bind(child.stdin);
  // The SDK calls it with a chunk and a callback.
  child.stdin.write = (chunk: unknown, ...rest: never[]) => {
    toCli(String(chunk));
    return write(chunk, ...rest);
  };
  child.stdout.setEncoding('utf8').on('data', fromCli);
  return child;
}

function createLines(onLine: (text: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
}
