// Drives the real CLI through the SDK against the rehearsal, in a home and a folder of its own. Knows nothing of
// our engine: recordings and wire fixtures show what the SDK and the CLI do by themselves.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, type Query, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';

export interface CliSession {
  query: Query;
  /** Where the process runs, its home, and where it leaves what it need not keep. */
  folders: { cwd: string; home: string; tmp: string };
  send(content: SDKUserMessage['message']['content']): void;
  /** All messages up to the next `result`, that one included; fewer when the process ends before. */
  turn(onMessage?: (message: Record<string, unknown>) => void): Promise<Record<string, unknown>[]>;
  /** Ends the process and waits for it. */
  close(): Promise<void>;
}

export interface CliOptions {
  /** Replaces or removes (`undefined`) a variable. */
  env?: Record<string, string | undefined>;
  options?: Options;
}

const recordedScenario = new URL('./recordings/scenario.yaml', import.meta.url).pathname;

/** One rehearsal, home and folder for any number of sessions one after another. */
export async function openCli(scenarioPath = recordedScenario) {
  const rehearsal = await serveRehearsal({ scenarioPath });
  const root = mkdtempSync(join(tmpdir(), 'toolyard-claude-'));
  const folders = { cwd: join(root, 'cwd'), home: join(root, 'home'), tmp: join(root, 'tmp') };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: folders.home,
    ANTHROPIC_BASE_URL: rehearsal.url,
    ANTHROPIC_API_KEY: 'rehearsal',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: folders.tmp,
  };
  return {
    folders,
    start: (more: CliOptions = {}) =>
      startSession(folders, {
        cwd: folders.cwd,
        settingSources: [],
        strictMcpConfig: true,
        includePartialMessages: true,
        model: 'claude-sonnet-5',
        tools: [],
        ...more.options,
        env: { ...env, ...more.env },
      }),
    async [Symbol.asyncDispose]() {
      await rehearsal.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function startSession(folders: CliSession['folders'], options: Options): CliSession {
  const prompt = createHeldPrompt();
  const started = query({ prompt, options });
  const messages = started[Symbol.asyncIterator]();
  return {
    query: started,
    folders,
    send: (content) =>
      prompt.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }),
    async turn(onMessage) {
      const taken: Record<string, unknown>[] = [];
      for (;;) {
        const { value, done } = await messages.next();
        if (done) return taken;
        // A recording is plain JSON, whatever the SDK calls its types.
        const message: Record<string, unknown> = JSON.parse(JSON.stringify(value));
        taken.push(message);
        onMessage?.(message);
        if (message.type === 'result') return taken;
      }
    },
    async close() {
      prompt.end();
      started.close();
      await messages.return?.(undefined);
    },
  };
}

/** A prompt that stays open, since the CLI ends with it. */
function createHeldPrompt() {
  const waiting: SDKUserMessage[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(message: SDKUserMessage) {
      waiting.push(message);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (!ended) {
        yield* waiting.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (waiting.length > 0 || ended) resolve();
        });
      }
    },
  };
}
