// `tools call`: one tool call by a person, under the same rules as every other. If it needs approval, it is asked here.
import { randomInt } from 'node:crypto';
import { type Approval, PermissionMode, pause, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toWorkspace } from '../command-line/values.ts';
import { createServerLink, type ServerLink } from '../connection/server-link.ts';
import { createApprovalPrompt } from '../decision-prompts/approval-prompt.ts';
import { createPromptQueue } from '../decision-prompts/prompt-queue.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { program } from '../terminal/program.ts';

const pollIntervalMs = 200;
const cancelPollMs = 20;
const cancelTimeoutMs = 10_000;

export async function callTool(call: Call): Promise<number> {
  const [name = ''] = call.words;
  const body = { ...toPlace(call), input: toInput(call), toolCallId: newCallId() };
  const link = await createServerLink(call);
  const stop = new AbortController();
  const removeListener = onInterrupt({ first: () => stop.abort(), second: () => process.exit(130) });
  const done = new AbortController();
  const parked = new AbortController();
  const asked = watch(call, link, body.toolCallId, { done: done.signal, onParked: () => parked.abort() });
  try {
    const signal = AbortSignal.any([stop.signal, parked.signal]);
    const result = await link.clientWithoutTimeout.tools.call(name, body, signal);
    const { out, err } = call.terminal;
    if (call.flags.has('json')) out.line(JSON.stringify(result));
    else if (result.isError) err.line(err.safe(toFailedText(result)));
    else out.line(out.safe(result.text));
    return result.isError ? await toFailedExit(link, asked()) : 0;
  } catch (thrown) {
    if (stop.signal.aborted) return 130;
    const given = asked();
    if (!parked.signal.aborted || !given) throw thrown;
    done.abort();
    call.terminal.err.line(toGivenUpText(await untilEnded(link, given.id)));
    return 3;
  } finally {
    done.abort();
    removeListener();
  }
}

function toFailedText({ text, broke }: Awaited<ReturnType<ServerLink['client']['tools']['call']>>): string {
  return broke ? `${text}\n${broke.cause}\nLog entry: ${broke.logId}` : text;
}

/** 3 when the call was not allowed, as for a turn. */
async function toFailedExit(link: ServerLink, asked: Approval | undefined): Promise<number> {
  const now = asked && (await link.ask((client) => client.approvals.get(asked.id)));
  return now?.state === 'denied' || now?.state === 'expired' ? 3 : 1;
}

/** The server cancels a call when its connection breaks. Until then, somebody could still allow it. */
async function untilEnded(link: ServerLink, approvalId: string): Promise<Approval> {
  const timeout = AbortSignal.timeout(cancelTimeoutMs);
  for (;;) {
    const approval = await link.ask((client) => client.approvals.get(approvalId));
    if (approval.state !== 'pending' || timeout.aborted) return approval;
    await pause(cancelPollMs);
  }
}

function toGivenUpText({ id, state }: Approval): string {
  if (state === 'cancelled' || state === 'denied' || state === 'expired') {
    return 'Nobody answered in time, so the call was cancelled. It did not run.';
  }
  return `Nobody answered in time, but the call may have run. Check: ${program} approvals show ${id}`;
}

/** Shows the approval of this call, if there is one, until the call is done. Returns a getter for that approval. */
function watch(
  { terminal, flags }: Call,
  link: ServerLink,
  toolCallId: string,
  { done, onParked }: { done: AbortSignal; onParked(): void },
): () => Approval | undefined {
  const { err } = terminal;
  const keyboard = flags.has('json') ? undefined : terminal.keyboard;
  const queue = createPromptQueue(keyboard);
  const prompt = createApprovalPrompt({ link, writer: err, queue, writeLine: err.line });
  let found: Approval | undefined;
  const poll = async () => {
    for (await pause(pollIntervalMs, done); !done.aborted; await pause(pollIntervalMs, done)) {
      const now = found ? await link.client.approvals.get(found.id) : await findPending(link, toolCallId);
      if (done.aborted) break;
      if (!found && now) prompt.ask(now);
      if (now && now.state !== 'pending') {
        const { id: approvalId, ...rest } = now;
        prompt.end({ approvalId, ...rest });
      }
      found = now ?? found;
      // A parked approval waits without limit, and nobody here can answer it.
      if (now?.state === 'pending' && now.expiresAt === null && !keyboard) onParked();
    }
  };
  // The call itself fails when the server is gone.
  poll()
    .catch(() => {})
    .finally(queue.close);
  return () => found;
}

async function findPending(link: ServerLink, toolCallId: string): Promise<Approval | undefined> {
  const { items } = await link.client.approvals.list({ state: 'pending', toolCallId, limit: 1 });
  const [listed] = items;
  return listed?.shortenedFrom ? link.client.approvals.get(listed.id) : listed;
}

function toPlace({ options, env }: Call) {
  const { session, role, mode } = options;
  return {
    ...(session ? { sessionId: session } : { cwd: toWorkspace(undefined, env) }),
    ...(role && { role }),
    ...(mode && { mode: toChoice(mode, '--mode', PermissionMode.options) }),
  };
}

function toInput({ words: [, word], options }: Call): Record<string, unknown> {
  if (word !== undefined && options.input !== undefined) {
    throw new ToolyardError(
      'usage',
      'The input is given twice: as an argument and by --input. Leave one out.',
    );
  }
  const text = word ?? options.input ?? '{}';
  const value = parseJson(text);
  if (isRecord(value)) return value;
  const example = `${program} tools call NAME '{"include_uptime":true}'`;
  throw new ToolyardError('usage', `The input must be a JSON object, such as: ${example}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolyardError('usage', `The input is not valid JSON (${Object(cause).message}).`, { cause });
  }
}

function newCallId(): string {
  const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';
  return `call_${Array.from({ length: 22 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
