// Transcripts as Claude Code writes them, for tests that need them torn, huge, many, or still growing. That the real CLI
// writes them so is shown by the tests that run it.
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Engine,
  type EngineSpec,
  type TranscriptFact,
  type TranscriptFinding,
  type Transcripts,
  toText,
} from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedEngineOptions } from '@toolyard/sdk/testing';
import { newPromptId } from '../../src/engines/claude/lib/prompt-id.ts';
import { createClaudeTranscripts } from '../../src/engines/claude/transcripts/transcripts.ts';

export type Fields = Record<string, unknown>;

/** Long enough ago that nobody is writing any more. */
export const longAgo = Date.parse('2026-01-02T03:04:05.000Z');
export const at = new Date(longAgo).toISOString();

export function says(text: string, more: Fields = {}): Fields {
  return { ...common(), type: 'user', message: { role: 'user', content: text }, ...more };
}

export function answers(text: string, more: Fields = {}): Fields {
  return {
    ...common(),
    type: 'assistant',
    message: toMessage([{ type: 'text', text }], 'end_turn'),
    ...more,
  };
}

export function calls(id: string, name: string, input: unknown): Fields {
  return {
    ...common(),
    type: 'assistant',
    message: toMessage([{ type: 'tool_use', id, name, input }], 'tool_use'),
  };
}

export function returns(id: string, content: unknown, isError = false): Fields {
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
  return { ...common(), type: 'user', message: { role: 'user', content: [result] } };
}

function toMessage(content: unknown[], stopReason: string): Fields {
  const usage = {
    input_tokens: 7,
    output_tokens: 5,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 2,
  };
  return {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content,
    stop_reason: stopReason,
    usage,
  };
}

function common(): Fields {
  return { parentUuid: null, isSidechain: false, uuid: randomUUID(), timestamp: at, cwd: '/the/project' };
}

export interface TranscriptFile {
  token: string;
  path: string;
  append(...lines: (Fields | string | Uint8Array)[]): void;
  /** Makes it look as if nobody had written for a while. */
  settle(): void;
}

export function toLine(entry: Fields): string {
  return `${JSON.stringify(entry)}\n`;
}

/** A file in a home; objects are written as lines, anything else as it is. */
export function writeTranscript(
  home: string,
  lines: readonly (Fields | string | Uint8Array)[],
  named: { cwd?: string; token?: string } = {},
): TranscriptFile {
  const file = openTranscript(home, named);
  writeFileSync(file.path, '');
  file.append(...lines);
  file.settle();
  return file;
}

export function openTranscript(
  home: string,
  { cwd = '/the/project', token = randomUUID() }: { cwd?: string; token?: string },
): TranscriptFile {
  const folder = join(home, '.claude', 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${token}.jsonl`);
  return {
    token,
    path,
    append(...more) {
      for (const line of more) appendFileSync(path, isEntry(line) ? toLine(line) : line);
    },
    settle: () => utimesSync(path, longAgo / 1_000, longAgo / 1_000),
  };
}

function isEntry(line: Fields | string | Uint8Array): line is Fields {
  return typeof line !== 'string' && !(line instanceof Uint8Array);
}

export async function listAll(transcripts: Transcripts, places?: string[]): Promise<TranscriptFinding[]> {
  const { signal } = new AbortController();
  return Array.fromAsync(transcripts.list({ isKnown: () => false, signal, ...(places && { places }) }));
}

/** Reads to the end and gives all facts with the last cursor. */
export async function readAll(
  { path, token }: Pick<TranscriptFile, 'path' | 'token'>,
  { cursor, sessionId = 'ses_of_a_test' }: { cursor?: unknown; sessionId?: string } = {},
): Promise<{ facts: TranscriptFact[]; cursor: unknown; state?: unknown; pieces: number }> {
  const reading = { path, token, sessionId, cursor, signal: new AbortController().signal };
  const pieces = await Array.fromAsync(createClaudeTranscripts({}).read(reading));
  const facts = pieces.flatMap((piece) => piece.facts);
  return {
    facts,
    cursor: pieces.at(-1)?.cursor ?? cursor,
    state: pieces.at(-1)?.state,
    pieces: pieces.length,
  };
}

/** The scripted engine in the name of Claude, with the transcripts of a home. */
export function createOutsideEngine(home: string, options: ScriptedEngineOptions = {}): Engine {
  return {
    ...createScriptedEngine({ id: 'claude', ...options }),
    transcripts: createClaudeTranscripts({ HOME: home }),
  };
}

/** An engine that keeps transcripts of its own as the CLI does, and says what its sessions were started with. */
export function createWritingEngine(
  home: string,
  { firstToken = randomUUID() as string, beforeToken = async () => {} } = {},
) {
  const started: EngineSpec[] = [];
  const files: TranscriptFile[] = [];
  const engine: Engine = {
    ...createOutsideEngine(home),
    async start(spec) {
      const { cwd, sessionId, resume } = spec;
      const token = resume?.token ?? (started.length === 0 ? firstToken : randomUUID());
      const file = openTranscript(home, { cwd, token });
      started.push(spec);
      files.push(file);
      return {
        async prompt(input, host) {
          const words = input.kind === 'message' ? toText(input.content) : 'go on';
          const now = { cwd, timestamp: new Date().toISOString() };
          file.append(says(words, { uuid: newPromptId(sessionId), ...now }));
          await beforeToken();
          await host.checkpoint({ token });
          file.append(answers(`You said: ${words}`, now));
          await host.emit({ type: 'text_delta', data: { text: `You said: ${words}` } });
          return { outcome: 'completed' };
        },
        close: async () => {},
      };
    },
  };
  return { engine, started, files };
}
