// `run` and `sessions retry`: start a turn, show it live, and exit with its outcome.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type Content, CreateSession, type Event, ToolyardError } from '@toolyard/sdk';
import { resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { toWorkspace } from '../command-line/values.ts';
import { createServerLink, type ServerLink } from '../connection/server-link.ts';
import { createPromptQueue } from '../decision-prompts/prompt-queue.ts';
import { createQuestionPrompt } from '../decision-prompts/question-prompt.ts';
import { program } from '../terminal/program.ts';
import { toLine } from '../terminal/terminal.ts';
import { readAttachments } from './attachments.ts';
import { type FollowedTurn, type FollowResult, followTurn } from './follow.ts';
import { createTurnApprovals } from './turn-approvals.ts';
import { showQueue } from './turn-queue.ts';
import { createJsonView, createTurnView } from './turn-view.ts';

/** Denied, out of time, or at a limit. */
const refusedExit = 3;

export async function run(call: Call): Promise<number> {
  const wanted = toSession(call);
  const attached = await readAttachments(call.lists, call.env);
  const text = await readPrompt(call.words);
  const content: Content = attached.length > 0 ? [...attached, { type: 'text', text }] : text;
  const link = await createServerLink(call);
  const sessionId = await toSessionId(call, link, wanted);
  if (call.flags.has('trace')) announceTrace(call, sessionId);
  const idempotencyKey = randomUUID();
  const { turnId, seq } = await link.ask((client) =>
    client.sessions.send(sessionId, content, { idempotencyKey }),
  );
  return watch(call, link, { sessionId, turnId, after: seq - 1 });
}

async function toSessionId(call: Call, link: ServerLink, wanted: CreateSession): Promise<string> {
  const { options, flags, terminal } = call;
  const trace = flags.has('trace');
  if (!options.session) {
    const asked = { ...wanted, ...(trace && { trace }) };
    const { id, warnings = [] } = await link.ask((client) => client.sessions.create(asked));
    for (const warning of warnings) terminal.err.line(toLine(warning));
    return id;
  }
  if (trace) await link.ask((client) => client.sessions.change(options.session ?? '', { trace }));
  return options.session;
}

function announceTrace({ env, terminal: { err } }: Call, sessionId: string): void {
  err.line(err.paint('dim', `trace:   ${join(resolveHome(env), 'traces', `${sessionId}.jsonl`)}`));
}

export async function retry(call: Call): Promise<number> {
  const [sessionId = ''] = call.words;
  const link = await createServerLink(call);
  const { turnId, seq } = await link.client.sessions.retry(sessionId);
  return watch(call, link, { sessionId, turnId, after: seq });
}

async function watch(call: Call, link: ServerLink, turn: FollowedTurn): Promise<number> {
  const view = call.flags.has('json') ? createJsonView(call.terminal) : createTurnView(call.terminal);
  // Programs read events, and answer in ways of their own.
  const queue = createPromptQueue(call.flags.has('json') ? undefined : call.terminal.keyboard);
  const approvals = createTurnApprovals(call, link, view, queue);
  const questions = createQuestionPrompt({ link, writer: call.terminal.err, queue, writeLine: view.line });
  const begun = new AbortController();
  if (call.options.session) showQueue(link, turn, view, begun.signal);
  const onEvent = (event: Event) => {
    if (event.type === 'turn_start') begun.abort();
    approvals.onEvent(event);
    if (event.type === 'question_required') questions.ask(event.data.question);
    if (event.type === 'question_resolved') questions.end(event.data);
  };
  const ending = await followTurn(link, turn, { view, onEvent, signal: approvals.parked }).finally(() => {
    begun.abort();
    approvals.close();
    queue.close();
  });
  if (!ending) return refusedExit;
  view.notice(toNextStep(turn.sessionId, ending));
  return toExitCode(ending, approvals.wereRefused());
}

function toNextStep(sessionId: string, { end }: FollowResult): string {
  const isDone = end.data.outcome === 'completed';
  const next = isDone
    ? `next:    ${program} run --session ${sessionId} "…"`
    : `retry:   ${program} sessions retry ${sessionId}`;
  return `session: ${sessionId}\n${next}`;
}

/** A denied or expired approval outranks the outcome of the turn. */
function toExitCode({ end, interrupted }: FollowResult, refused: boolean): number {
  const { outcome } = end.data;
  if (interrupted || outcome === 'interrupted') return 130;
  if (refused || outcome === 'limit') return refusedExit;
  return outcome === 'completed' ? 0 : 1;
}

const choices = ['role', 'task', 'engine', 'model', 'mode'] as const;

function toSession({ options, env }: Call): CreateSession {
  const chosen = choices.filter((name) => options[name] !== undefined);
  if (options.session && chosen.length > 0) {
    throw new ToolyardError(
      'usage',
      `--${chosen[0]} is for a new session, but --session continues an existing one. Leave one out.`,
    );
  }
  const { task: taskSlug, ...rest } = Object.fromEntries(chosen.map((name) => [name, options[name]]));
  const place = { cwd: toWorkspace(undefined, env) };
  const parsed = CreateSession.safeParse({ ...rest, ...(taskSlug && { taskSlug }), ...place });
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  const name = problem?.path.join('.').replace('taskSlug', 'task');
  throw new ToolyardError('usage', `--${name}: ${problem?.message}`);
}

async function readPrompt(words: readonly string[]): Promise<string> {
  const fromStdin = words.length === 0 || (words.length === 1 && words[0] === '-');
  const isTyped = words.length === 0 && process.stdin.isTTY;
  const prompt = isTyped ? '' : fromStdin ? await readText(process.stdin) : words.join(' ');
  if (prompt.trim() !== '') return prompt;
  throw new ToolyardError('usage', `There is no prompt. Write one: ${program} run "ping the server"`);
}
